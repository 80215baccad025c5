package harness

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Stand is two of something that a store changes, in the same state: one for each side. Each
// command line is run once on each side, or equally often where the clock goes on between the two.
type Stand struct {
	Tally
	Ours, Theirs       Side
	Root               string
	OursEnv, TheirsEnv []string       // leads the commands of each side to the one that is theirs
	Mask               *regexp.Regexp // what may differ in the output; nil for nothing
	Lines              int            // how many command lines were compared
}

// NewStand returns a stand without daemons.
func NewStand(t *testing.T) *Stand {
	t.Helper()
	s := &Stand{Tally: Tally{rows: loadKnown(t)}}
	s.Ours, s.Theirs, s.Root = Setup(t)
	return s
}

// Live starts two daemons of the reference.
func (s *Stand) Live(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.Root, "var/lib/pcp/pmns/root_sample")); err != nil {
		t.Skip("the reference has no sample agent (peer-up --pmcd installs it)")
	}
	s.OursEnv, s.TheirsEnv = StartDaemon(t, s.Root), StartDaemon(t, s.Root)
}

// both runs a command for each side at the same time, with the programs that ours and theirs name.
func (s *Stand) both(c Command, ours, theirs Side) (o, r Outcome, err error) {
	oc, tc := c, c
	oc.Env = append(append([]string{}, s.OursEnv...), c.Env...)
	tc.Env = append(append([]string{}, s.TheirsEnv...), c.Env...)
	var wg sync.WaitGroup
	var oerr error
	wg.Go(func() { o, oerr = ours.Run(oc, s.Root) })
	r, err = theirs.Run(tc, s.Root)
	wg.Wait()
	err = cmp.Or(err, oerr)
	if s.Mask != nil {
		o.Stdout, r.Stdout = s.Mask.ReplaceAll(o.Stdout, []byte("~")), s.Mask.ReplaceAll(r.Stdout, []byte("~"))
	}
	return o, r, err
}

// Compare runs a command line on both sides, and then compares the values that the metrics called
// names have, as the reference shows them.
func (s *Stand) Compare(c Command, names ...string) {
	s.Lines++
	o, r, err := s.both(c, s.Ours, s.Theirs)
	for range 2 {
		if s.Mask == nil || err != nil || !ofTheMoment(o, r) {
			break
		}
		o, r, err = s.both(c, s.Ours, s.Theirs)
	}
	switch {
	case err != nil:
		s.Fail(err.Error())
	case !o.Equal(r):
		if !s.explained(c, o, r) {
			s.Fail(c.String() + "\n" + Diff(o, r))
		}
	case len(names) > 0:
		show := Command{Args: append([]string{"pminfo", "-f"}, names...)}
		o, r, err = s.both(show, s.Theirs, s.Theirs)
		if err != nil || !o.Equal(r) {
			s.Fail(fmt.Sprintf("after %s\n%s%v", c, Diff(o, r), err))
			return
		}
		fallthrough
	default:
		s.Count(Equal)
	}
}

// number matches a number with the blanks that align it.
var number = regexp.MustCompile(` *\d+`)

// ofTheMoment reports whether two outcomes differ in numbers only, as they do where a second ends
// between the two.
func ofTheMoment(o, r Outcome) bool {
	if o.Equal(r) {
		return false
	}
	o.Stdout, r.Stdout = number.ReplaceAll(o.Stdout, []byte("#")), number.ReplaceAll(r.Stdout, []byte("#"))
	return o.Equal(r)
}

// Report fails the test for each difference, and logs the counts.
func (s *Stand) Report(t *testing.T) {
	t.Helper()
	s.Tally.Report(t, fmt.Sprint(s.Lines, " command lines"))
}

// daemonConfig is the configuration of a daemon: the demonstration agents, and stores through the
// socket only.
const daemonConfig = `pmcd 2 dso pmcd_init /var/lib/pcp/pmdas/pmcd/pmda_pmcd.so
sample 29 pipe binary /var/lib/pcp/pmdas/sample/pmdasample -d 29
simple 253 pipe binary /var/lib/pcp/pmdas/simple/pmdasimple -d 253
trivial 250 pipe binary /var/lib/pcp/pmdas/trivial/pmdatrivial -d 250

[access]
disallow ".*" : store;
disallow ":*" : store;
allow "local:*" : all;
`

// StartDaemon starts a daemon of the reference for the length of a test, and returns the
// environment that leads commands to it.
func StartDaemon(t *testing.T, root string) (env []string) {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "pmcd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte(daemonConfig), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	inside := strings.TrimPrefix(dir, root)
	cmd := exec.Command("chroot", root, "/usr/lib/pcp/bin/pmcd", "-f", "-A", "-i", "127.0.0.1", "-p", port,
		"-s", inside+"/socket", "-c", inside+"/conf", "-l", inside+"/log")
	if err := cmd.Start(); err != nil {
		t.Skip("the reference's daemon does not start: ", err)
	}
	t.Cleanup(func() {
		// It may have ended by itself.
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	})
	for range 100 {
		if log, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && strings.Contains(string(log), "request port") {
			return []string{"PMCD_SOCKET=" + filepath.Join(dir, "socket"), "PMCD_PORT=" + port}
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("the reference's daemon is not ready after 10 s:\n%s", log)
	return nil
}
