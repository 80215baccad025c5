package peer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSampleAgent compares our sample agent with the reference's under the
// reference's daemon, by the reference's commands: every report on every metric, and
// the command lines of cases/sample.txt. Help texts are our own.
func TestSampleAgent(t *testing.T) {
	s := newStand(t)
	s.ours, s.mask = s.theirs, clock
	mine, their := newAgentWorld(t, s.root, "sample"), newAgentWorld(t, s.root)
	for _, w := range []*agentWorld{mine, their} {
		dir := filepath.Join(w.dir, "pmdas/sample")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.oursEnv = mine.daemon(t, pmcdAgent+"sample 29 pipe binary DIR/gosample -d 29 -l DIR/pmdas/sample/sample.log\n"+agentAccess)
	s.theirsEnv = their.daemon(t, pmcdAgent+"sample 29 pipe binary /var/lib/pcp/pmdas/sample/pmdasample -d 29 -l DIR/pmdas/sample/sample.log\n"+agentAccess)
	list, err := s.theirs.Run(Command{Args: []string{"pminfo", "sample"}, Env: s.theirsEnv}, s.root)
	if err != nil || list.Status != 0 {
		t.Fatal(err, string(list.Stderr))
	}
	for _, o := range []string{"-m", "-M", "-b1 -dI", "-b1 -l", "-b1 -s", "-v", "-e"} {
		s.compare(Command{Args: append(append([]string{"pminfo"}, strings.Fields(o)...), "sample")})
	}
	for _, name := range strings.Fields(string(list.Stdout)) {
		if unsteady.MatchString(name) {
			continue
		}
		for _, o := range []string{"-f", "-F", "-fl"} {
			s.compare(Command{Args: []string{"pminfo", o, name}})
		}
		if !strings.HasPrefix(name, "sample.control") {
			s.compare(Command{Args: []string{"pmstore", name, "1"}})
		}
	}
	for _, words := range caseLines(t, "sample.txt") {
		switch {
		case words[0] == "dynamic":
			for _, w := range []*agentWorld{mine, their} {
				w.write(t, "pmdas/sample/dynamic.indom", words[1])
			}
		case strings.Contains(strings.Join(words, " "), "simple"), strings.Contains(strings.Join(words, " "), "trivial"):
		default:
			s.compare(Command{Args: words})
		}
	}
	s.report(t)
}
