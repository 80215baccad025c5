//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/archive/archivetest"
)

// TestPushInterrupted: a signal ends the push of an archive, whatever the database does. pmderive says
// how much has not been sent, and the status is 1.
func TestPushInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", 300); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		sig  os.Signal
		do   func(w http.ResponseWriter, r *http.Request) bool
		sent bool
	}{
		{"takes all", os.Interrupt, func(http.ResponseWriter, *http.Request) bool { return false }, true},
		{"never answers", os.Interrupt, func(_ http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return true
		}, false},
		{"wants to be left alone", syscall.SIGTERM, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, false},
		{"cuts", syscall.SIGTERM, func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked, signalled := make(chan struct{}), make(chan struct{})
			var once sync.Once
			srv := httptest.NewServer(&remotewritetest.Database{Before: func(w http.ResponseWriter, r *http.Request) bool {
				once.Do(func() { close(asked); <-signalled })
				return tt.do(w, r)
			}})
			defer srv.Close()
			temp := t.TempDir()
			cmd := exec.Command("pmderive", "-a", filepath.Join(dir, "big"), "push", "--to", srv.URL, "big")
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			select {
			case <-asked:
				_ = cmd.Process.Signal(tt.sig)
			case <-time.After(time.Minute):
			}
			close(signalled)
			_ = cmd.Wait() // its status says it
			if !late.Stop() || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("status %d, %q, %q", cmd.ProcessState.ExitCode(), &stdout, &stderr)
			} else if strings.Contains(stdout.String(), ": 0 samples") == tt.sent || strings.Contains(stdout.String(), " not sent") == tt.sent ||
				!strings.Contains(stderr.String(), "interrupted: the rest of the archive is not sent\n") {
				t.Errorf("status %d, %q, %q", cmd.ProcessState.ExitCode(), &stdout, &stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "*")); left != nil {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// TestPushComing: hosts are taken up when the list names them, and end when it does not, when they are lost, and with the run. A
// list that is damaged meanwhile changes nothing.
func TestPushComing(t *testing.T) {
	hosts, servers := daemons(t, 3)
	d, url := database(t)
	file := filepath.Join(t.TempDir(), "hosts")
	list := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list(hosts[0])
	cmd := exec.Command("pmderive", "push", "--hosts", file, "--as-named", "--to", url, "-t", "0.2", "h.one")
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	stderr := func() string { text, _ := os.ReadFile(said.Name()); return string(text) }
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	last := func(name string, host int, more string) (v float64) {
		samples := d.Series()[fmt.Sprintf(`__name__="%s",%shost="%s"`, name, more, hosts[host])]
		if len(samples) == 0 {
			return -1
		}
		return samples[len(samples)-1].Value
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for begun := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%s never comes: %q, %q", what, stored(d), stderr())
			}
		}
	}
	const env = `env="x",`
	until("the first host", func() bool { return last("up", 0, "") == 1 && last("h_one_bytes", 0, "") == 1024 })
	list(fmt.Sprintf(`[{"targets": ["%s", "%s"], "labels": {"env": "x"}}, {"targets": ["%s"]}]`, hosts[1], hosts[2], hosts[0]))
	until("the second host", func() bool {
		return last("up", 1, env) == 1 && last("h_one_bytes", 1, env) > 1 && last("up", 2, env) == 1
	})
	list(`[{"targets": ["x"`)
	until("the message", func() bool { return strings.Contains(stderr(), "--hosts: "+file+": it is not a list of hosts in JSON") })
	servers[0].Close()
	until("the loss of the first host", func() bool { return last("up", 0, "") == 0 && math.IsNaN(last("h_one_bytes", 0, "")) })
	list(hosts[1])
	until("the end of the third host", func() bool {
		return math.IsNaN(last("up", 2, env)) && math.IsNaN(last("h_one_bytes", 2, env)) && math.IsNaN(last("up", 0, ""))
	})
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, %q", err, stderr())
	}
	for labels, samples := range d.Series() {
		if v := samples[len(samples)-1].Value; !math.IsNaN(v) {
			t.Errorf("%s ends with %v", labels, v)
		}
	}
	text := stderr()
	if strings.Count(text, "; the hosts stay as they were\n") != 1 || strings.Count(text, "pmderive: ") != 2 || !strings.Contains(text, hosts[0]+": ") {
		t.Errorf("%s", text)
	}
}

// fullPipe returns a pipe that takes nothing more, and that nobody reads.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if err := w.SetWriteDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = w.Write(make([]byte, 4096))
	}
	return w
}

// TestUnread: a signal ends each command that catches it, though nobody reads what it writes.
func TestUnread(t *testing.T) {
	base := archivetest.Path(t, "demo")
	for _, line := range []string{
		"eval -t 1 hinv.ncpu", "eval -o csv -t 1 no.such hinv.ncpu", "summarize --every 1min disk", "export --check -o " + t.TempDir() + " no.such disk", "test " + t.TempDir() + "/none",
		"hinv.ncpu disk.dev.total", "",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			w := fullPipe(t)
			cmd := exec.Command("pmderive", append([]string{"-a", base}, strings.Fields(line)...)...)
			cmd.Stdout, cmd.Stderr, cmd.Stdin = w, w, strings.NewReader("hinv.ncpu\ndisk.dev.total\n")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			time.Sleep(300 * time.Millisecond) // for the first write; a signal before it ends the command too
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait() // that it has ended is all
			if !late.Stop() {
				t.Errorf("it goes on: %v", cmd.ProcessState)
			}
		})
	}
}

// TestPushUnread: where nobody reads standard error all is sent all the same, and a signal ends the command.
func TestPushUnread(t *testing.T) {
	hosts := filepath.Join(t.TempDir(), "hosts")
	var list strings.Builder
	for i := range 500 {
		fmt.Fprintf(&list, "127.0.%d.%d:1\n", 1+i/250, 1+i%250)
	}
	if err := os.WriteFile(hosts, []byte(list.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		sig  os.Signal
		want func(d *remotewritetest.Database) bool
	}{
		{"-a " + archivetest.Path(t, "demo") + " push hinv.ncpu", os.Interrupt, func(d *remotewritetest.Database) bool { return len(d.Series()) == 1 }},
		{"push -t 0.5 --hosts " + hosts + " hinv.ncpu", syscall.SIGTERM, func(d *remotewritetest.Database) bool {
			n := 0
			for labels, list := range d.Series() {
				if strings.HasPrefix(labels, `__name__="up"`) && len(list) > 1 {
					n++
				}
			}
			return n == 500
		}},
	} {
		t.Run(strings.Fields(tt.args)[0], func(t *testing.T) {
			t.Parallel()
			w := fullPipe(t)
			var asked atomic.Bool
			d := &remotewritetest.Database{Before: func(w http.ResponseWriter, _ *http.Request) bool {
				if asked.Swap(true) {
					return false
				}
				http.Error(w, "later", http.StatusServiceUnavailable) // which is reported
				return true
			}}
			srv := httptest.NewServer(d)
			defer srv.Close()
			cmd := exec.Command("pmderive", append(strings.Fields(tt.args), "--to", srv.URL)...)
			var stdout bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			for begun := time.Now(); !tt.want(d) && time.Since(begun) < time.Minute; {
				time.Sleep(10 * time.Millisecond)
			}
			_ = cmd.Process.Signal(tt.sig)
			_ = cmd.Wait() // its status says it
			if !late.Stop() || cmd.ProcessState.ExitCode() < 0 || !strings.Contains(stdout.String(), " samples sent\n") {
				t.Errorf("%v, %q", cmd.ProcessState, &stdout)
			}
		})
	}
}
