package peer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/golden"
)

// caseLines returns the words of each line of a file of cases, with \n and \t
// turned into characters.
func caseLines(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		words, err := golden.Words(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line))
		if err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		if len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// clock is a time of day with a fraction.
var clock = regexp.MustCompile(`\d\d:\d\d:\d\d\.\d+`)

// TestSample compares what the demonstration agents answer when they are told to
// misbehave, to change, or to forget: the command lines of cases/sample.txt.
func TestSample(t *testing.T) {
	s := newStand(t)
	s.live(t)
	s.mask = clock
	indom := filepath.Join(s.root, "var/lib/pcp/pmdas/sample/dynamic.indom")
	t.Cleanup(func() { os.Remove(indom) })
	for _, words := range caseLines(t, "sample.txt") {
		if words[0] == "dynamic" {
			if err := os.WriteFile(indom, []byte(words[1]), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.compare(Command{Args: words})
	}
	s.report(t)
}

// unsteady are metrics whose values depend on the time, on chance, on processes or
// on what else the daemon was asked.
var unsteady = regexp.MustCompile(`^(sample\.(seconds|milliseconds|load|lights|magnitude|drift|noise|bucket|mirage|mirage_longlong|daemon_pid|` +
	`dupnames\.(daemon_pid|pid_daemon|two\.(seconds|lights)|five\.bucket)|sysinfo|rapid|(k|)byte_.*|percontext\..*|recv_pdu|xmit_pdu|pdu|datasize|` +
	`const_rate\.value|dodgey\.value|scramble\.bin|proc\..*|not_ready.*|event\..*)|simple\.(now|time\..*)|trivial\..*)$`)

// TestSampleAll compares every metric of the demonstration agents with every kind
// of report, and a store to it.
func TestSampleAll(t *testing.T) {
	s := newStand(t)
	s.live(t)
	list, err := s.theirs.Run(Command{Args: []string{"pminfo", "sample", "simple", "trivial"}, Env: s.theirsEnv}, s.root)
	if err != nil || list.Status != 0 {
		t.Fatal(err, string(list.Stderr))
	}
	for _, name := range strings.Fields(string(list.Stdout)) {
		for _, o := range []string{"-dmtTls", "-f", "-F", "-fx", "-v"} {
			if o != "-dmtTls" && unsteady.MatchString(name) {
				continue
			}
			s.compare(Command{Args: []string{"pminfo", o, name}})
		}
		if unsteady.MatchString(name) || strings.HasPrefix(name, "sample.control") {
			continue
		}
		s.compare(Command{Args: []string{"pmstore", name, "1"}})
	}
	// In larger batches the reference confuses descriptions (row H1).
	for _, o := range []string{"-m", "-M", "-t", "-T", "-b 7 -t", "-b1 -d", "-b1 -1", "-b1 -l", "-b1 -s"} {
		s.compare(Command{Args: append(append([]string{"pminfo"}, strings.Fields(o)...), "sample", "simple", "trivial")})
	}
	s.report(t)
}
