package clitest

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// patience is the time-out of requests in runs over a daemon that fails. A command without it must
// come before limit.
const (
	patience = "0.2"
	limit    = 30 * time.Second
)

// Faults runs a command line over a daemon that fails at one of its replies: at each reply of a run
// without faults, in each way. No run may panic or hang, and one that lacks something must say so:
// but for an empty list, which stands for itself.
func Faults(t *testing.T, world func() *pmcdtest.World, run func(vars map[string]string) golden.Entry) {
	t.Helper()
	var replies int
	var mu sync.Mutex
	intact := overDaemon(t, world(), run, func(*pmcdtest.Reply) {
		mu.Lock()
		defer mu.Unlock()
		replies++
	})
	if replies < 2 {
		t.Fatalf("%d replies only: %q", replies, intact.Stdout+intact.Stderr)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for n := range replies {
		for _, f := range pmcdtest.Faults() {
			wg.Go(func() {
				got := overDaemon(t, world(), run, pmcdtest.Nth(n, f.Edit))
				check(t, fmt.Sprintf("%s at reply %d", f.Name, n), f.Listed, &intact, &got)
			})
		}
	}
}

// overDaemon runs a command line over a daemon whose replies are edited.
func overDaemon(t *testing.T, w *pmcdtest.World, run func(vars map[string]string) golden.Entry, edit pmcdtest.Edit) golden.Entry {
	socket := Socket(t)
	s := pmcdtest.NewServer(w)
	s.SetEdit(edit)
	if _, err := s.Listen("unix", socket); err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	defer s.Close()
	return Guard(t, func() golden.Entry {
		return run(map[string]string{"PMCD_SOCKET": socket, "PMCD_PORT": "1", "PMCD_REQUEST_TIMEOUT": patience, "PMCD_CONNECT_TIMEOUT": patience})
	})
}

// Guard runs a command, and reports if it panics or does not end.
func Guard(t *testing.T, run func() golden.Entry) (e golden.Entry) {
	late := time.AfterFunc(limit, func() { panic("the command does not end") })
	defer late.Stop()
	defer func() {
		if bad := recover(); bad != nil {
			e.Stderr = fmt.Sprintf("panic: %v\n%s", bad, debug.Stack())
			t.Error(e.Stderr)
		}
	}()
	return run()
}

// check compares a run with one without faults.
func check(t *testing.T, name string, empty bool, intact, got *golden.Entry) {
	if strings.HasPrefix(got.Stderr, "panic: ") {
		t.Errorf("%s: panic", name)
		return
	}
	for line := range strings.Lines(got.Stdout + got.Stderr) {
		if strings.TrimSpace(line) != "" && !strings.Contains(intact.Stdout+intact.Stderr, line) {
			return // that is all it has answered
		}
	}
	if got.Status != intact.Status || got.Stdout == "" && intact.Stdout != "" && !empty {
		t.Errorf("%s: nothing is said: status %d, %q", name, got.Status, got.Stdout)
	}
}
