package peer

import (
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

// A stand is two of something that a store changes, in the same state: one for each
// side. Each command line is run once on each side.
type stand struct {
	tally
	ours, theirs       Side
	root               string
	oursEnv, theirsEnv []string // tells commands which of the two is theirs
	known              []knownCase
	mask               *regexp.Regexp // what may differ in the output; nil for nothing
	lines              int
}

// newStand returns a stand without daemons.
func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{known: loadKnown(t)}
	s.knownBy = map[string]int{}
	s.ours, s.theirs, s.root = setup(t)
	return s
}

// live starts two daemons of the reference.
func (s *stand) live(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.root, "var/lib/pcp/pmns/root_sample")); err != nil {
		t.Skip("the reference has no sample agent (peer-up --pmcd installs it)")
	}
	s.oursEnv, s.theirsEnv = startDaemon(t, s.root), startDaemon(t, s.root)
}

// both runs a command for each side at the same time, with the programs that ours
// and theirs name.
func (s *stand) both(c Command, ours, theirs Side) (o, r Outcome, err error) {
	oc, tc := c, c
	oc.Env = append(append([]string{}, s.oursEnv...), c.Env...)
	tc.Env = append(append([]string{}, s.theirsEnv...), c.Env...)
	var wg sync.WaitGroup
	var oerr error
	wg.Go(func() { o, oerr = ours.Run(oc, s.root) })
	r, err = theirs.Run(tc, s.root)
	wg.Wait()
	if err == nil {
		err = oerr
	}
	if s.mask != nil {
		o.Stdout, r.Stdout = s.mask.ReplaceAll(o.Stdout, []byte("~")), s.mask.ReplaceAll(r.Stdout, []byte("~"))
	}
	return o, r, err
}

// compare runs a command line on both sides, and then compares the values that the
// metrics called names have, as the reference shows them.
func (s *stand) compare(c Command, names ...string) {
	s.lines++
	o, r, err := s.both(c, s.ours, s.theirs)
	if err != nil {
		s.fail(err.Error())
		return
	}
	text := c.String()
	switch {
	case !o.Equal(r):
		for _, k := range s.known {
			if k.command.MatchString(text) {
				s.count(&s.tally.known)
				s.knownBy[k.id]++
				return
			}
		}
		if r.Crashed() && !o.Crashed() {
			s.count(&s.crashed)
			return
		}
		s.fail(text + "\n" + Diff(o, r))
		return
	case len(names) > 0:
		show := Command{Args: append([]string{"pminfo", "-f"}, names...)}
		o, r, err = s.both(show, s.theirs, s.theirs)
		if err != nil || !o.Equal(r) {
			s.fail(fmt.Sprintf("after %s\n%s%v", text, Diff(o, r), err))
			return
		}
	}
	s.count(&s.equal)
}

// report fails the test for each difference, and logs the counts.
func (s *stand) report(t *testing.T) {
	t.Helper()
	for i, f := range s.failures {
		if i == 40 {
			t.Errorf("and %d more", len(s.failures)-i)
			break
		}
		t.Error(f)
	}
	t.Logf("%d command lines: %d equal, %d unexplained differences, %d known differences %v, reference crashed %d",
		s.lines, s.equal, s.differ, s.tally.known, s.knownBy, s.crashed)
}

// daemonConfig is the configuration of a daemon: the demonstration agents, and
// stores through the socket only.
const daemonConfig = `pmcd 2 dso pmcd_init /var/lib/pcp/pmdas/pmcd/pmda_pmcd.so
sample 29 pipe binary /var/lib/pcp/pmdas/sample/pmdasample -d 29
simple 253 pipe binary /var/lib/pcp/pmdas/simple/pmdasimple -d 253
trivial 250 pipe binary /var/lib/pcp/pmdas/trivial/pmdatrivial -d 250

[access]
disallow ".*" : store;
disallow ":*" : store;
allow "local:*" : all;
`

// startDaemon starts a daemon of the reference for the length of a test, and returns
// what tells commands of it.
func startDaemon(t *testing.T, root string) (env []string) {
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

// storeFiles are what the command lines of cases/pmstore.txt name.
var storeFiles = map[string]string{
	"defs": "d.single = sample.write_me + 1\nd.bin = sample.bin\nd.gone = no.such + 1\nd.string = sample.string.write_me\nd.five = mkconst(5)\n" +
		"d.delta = delta(sample.write_me)\nd.red = matchinst(/^red$/, sample.colour)\nd.sum = sum(sample.bin)\n",
	"hides": "sample.write_me = sample.bin\nsample.write_me.below = 1\n",
	"bad":   "d.good = sample.bin\nd.bad = 1 +\n",
	"names": "root {\n\tmine\n}\nmine {\n\tmetric\t29:0:0\n\twrite\t29:0:1\n\tunknown\t29:9:999\n\tagent\t199:0:0\n}\n",
}

// TestStore compares stores to live metrics: the command lines of
// cases/pmstore.txt.
func TestStore(t *testing.T) {
	s := newStand(t)
	s.live(t)
	dir := writeFiles(t, storeFiles)
	for _, words := range caseLines(t, "pmstore.txt") {
		c := Command{Dir: dir}
		for len(words) > 0 && variable.MatchString(words[0]) {
			c.Env, words = append(c.Env, words[0]), words[1:]
		}
		c.Args = append([]string{"pmstore"}, words...)
		s.compare(c, shown(words)...)
	}
	s.report(t)
}

// variable is an assignment to a variable of the environment, or one that is not set.
var variable = regexp.MustCompile(`^([A-Z_]+=|-(PMCD|PCP)_)`)

// shown returns the metric among the words of a command line, unless its values
// depend on the time.
func shown(words []string) []string {
	for _, w := range words {
		if steady.MatchString(w) {
			return []string{w}
		}
	}
	return nil
}

// steady are the metrics of the demonstration agents whose values do not depend on
// the time.
var steady = regexp.MustCompile(`^(sample|simple|pmcd\.control)\.([^e]|error_code)`)
