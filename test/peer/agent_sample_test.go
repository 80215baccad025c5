package peer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// madeUpParts are what two agents need not say alike: what time it is, and an
// instance that is memory nobody set.
var madeUpParts = regexp.MustCompile(clock.String() + `|indom=0\.1 inst=-?\d+: .*\n    inst \[-?\d+\]|inst \[-?\d+ "DISAPPEARED"\]`)

// elsewhere are command lines that are not for this test: those of other agents,
// help texts, values that count seconds, and the end of the agent.
var elsewhere = regexp.MustCompile(`simple|trivial|^pminfo -\w*[tT]|^pminfo .* -\w*[tT]|sample\.ulonglong|sample\.many\.count|sample\.control -1`)

// TestSampleAgent compares our sample agent with the reference's under the
// reference's daemon, by the reference's commands: every report on every metric, and
// the command lines of cases/sample.txt. Help texts are our own.
func TestSampleAgent(t *testing.T) {
	s := newStand(t)
	s.ours, s.mask = s.theirs, madeUpParts
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
		// sample.ulonglong.bin counts seconds, and a store to sample.many.count damages
		// the reference's sample.error_code.
		if unsteady.MatchString(name) || strings.HasPrefix(name, "sample.ulonglong.bin") || name == "sample.many.count" {
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
		line := strings.Join(words, " ")
		switch {
		case words[0] == "dynamic":
			for _, w := range []*agentWorld{mine, their} {
				w.write(t, "pmdas/sample/dynamic.indom", words[1])
				changed(t, filepath.Join(w.dir, "pmdas/sample/dynamic.indom"))
			}
		case elsewhere.MatchString(line):
		default:
			s.compare(Command{Args: words})
		}
	}
	s.report(t)
}
