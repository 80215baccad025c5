package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// madeUpParts matches output that may differ between two agents: the time, and an instance that is
// uninitialised memory.
var madeUpParts = regexp.MustCompile(harness.Clock.String() + `|indom=0\.1 inst=-?\d+: .*\n    inst \[-?\d+\]|inst \[-?\d+ "DISAPPEARED"\]`)

// elsewhere are command lines that are not for this test: those of other agents, help texts, values
// that count seconds, and the end of the agent.
var elsewhere = regexp.MustCompile(`simple|trivial|^pminfo -\w*[tT]|^pminfo .* -\w*[tT]|sample\.ulonglong|sample\.many\.count|sample\.control -1`)

// TestSampleAgent compares our sample agent with the reference's under the reference's daemon, by
// the reference's commands: every report on every metric, and the command lines of
// cases/sample.txt. Help texts are our own.
func TestSampleAgent(t *testing.T) {
	s := harness.NewStand(t)
	s.Ours, s.Mask = s.Theirs, madeUpParts
	mine, their := newAgentWorld(t, s.Root, "sample"), newAgentWorld(t, s.Root)
	for _, w := range []*agentWorld{mine, their} {
		dir := filepath.Join(w.dir, "pmdas/sample")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.OursEnv = mine.daemon(t, pmcdAgent+"sample 29 pipe binary DIR/gosample -d 29 -l DIR/pmdas/sample/sample.log\n"+agentAccess)
	s.TheirsEnv = their.daemon(t, pmcdAgent+"sample 29 pipe binary /var/lib/pcp/pmdas/sample/pmdasample -d 29 -l DIR/pmdas/sample/sample.log\n"+agentAccess)
	list, err := s.Theirs.Run(harness.Command{Args: []string{"pminfo", "sample"}, Env: s.TheirsEnv}, s.Root)
	if err != nil || list.Status != 0 {
		t.Fatal(err, string(list.Stderr))
	}
	for _, o := range []string{"-m", "-M", "-b1 -dI", "-b1 -l", "-b1 -s", "-v", "-e"} {
		s.Compare(harness.Command{Args: append(append([]string{"pminfo"}, strings.Fields(o)...), "sample")})
	}
	for _, name := range strings.Fields(string(list.Stdout)) {
		// A store to sample.many.count damages the reference's sample.error_code.
		if harness.Moving.MatchString(name) || name == "sample.many.count" {
			continue
		}
		for _, o := range []string{"-f", "-F", "-fl"} {
			s.Compare(harness.Command{Args: []string{"pminfo", o, name}})
		}
		if !strings.HasPrefix(name, "sample.control") {
			s.Compare(harness.Command{Args: []string{"pmstore", name, "1"}})
		}
	}
	for _, words := range harness.CaseLines(t, "sample.txt") {
		line := strings.Join(words, " ")
		switch {
		case words[0] == "dynamic":
			for _, w := range []*agentWorld{mine, their} {
				w.write(t, "pmdas/sample/dynamic.indom", words[1])
				changed(t, filepath.Join(w.dir, "pmdas/sample/dynamic.indom"))
			}
		case elsewhere.MatchString(line):
		default:
			s.Compare(harness.Command{Args: words})
		}
	}
	s.Report(t)
}
