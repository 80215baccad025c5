package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestSample compares what the demonstration agents answer when they are told to misbehave, to
// change, or to forget: the command lines of cases/sample.txt.
func TestSample(t *testing.T) {
	s := harness.NewStand(t)
	s.Live(t)
	s.Mask = harness.Clock
	indom := filepath.Join(s.Root, "var/lib/pcp/pmdas/sample/dynamic.indom")
	t.Cleanup(func() { os.Remove(indom) })
	for _, words := range harness.CaseLines(t, "sample.txt") {
		if words[0] == "dynamic" {
			if err := os.WriteFile(indom, []byte(words[1]), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.Compare(harness.Command{Args: words})
	}
	s.Report(t)
}

// TestSampleAll compares every metric of the demonstration agents with every kind of report, and a
// store to it.
func TestSampleAll(t *testing.T) {
	s := harness.NewStand(t)
	s.Live(t)
	list, err := s.Theirs.Run(harness.Command{Args: []string{"pminfo", "sample", "simple", "trivial"}, Env: s.TheirsEnv}, s.Root)
	if err != nil || list.Status != 0 {
		t.Fatal(err, string(list.Stderr))
	}
	for _, name := range strings.Fields(string(list.Stdout)) {
		for _, o := range []string{"-dmtTls", "-f", "-F", "-fx", "-v"} {
			if o != "-dmtTls" && harness.Moving.MatchString(name) {
				continue
			}
			s.Compare(harness.Command{Args: []string{"pminfo", o, name}})
		}
		if harness.Moving.MatchString(name) || strings.HasPrefix(name, "sample.control") {
			continue
		}
		s.Compare(harness.Command{Args: []string{"pmstore", name, "1"}})
	}
	// In larger batches the reference confuses descriptions (row H1).
	for _, o := range []string{"-m", "-M", "-t", "-T", "-b 7 -t", "-b1 -d", "-b1 -1", "-b1 -l", "-b1 -s"} {
		s.Compare(harness.Command{Args: append(append([]string{"pminfo"}, strings.Fields(o)...), "sample", "simple", "trivial")})
	}
	s.Report(t)
}
