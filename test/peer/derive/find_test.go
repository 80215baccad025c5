package derive

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestFind asks find for words, and the reference's pminfo for the names and one-line texts in which they
// are: find has all of these. On a host with the stock definitions it finds the latency of disks.
func TestFind(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	env := append(harness.Live(t), "PCP_DERIVED_CONFIG="+filepath.Join(root, "etc/pcp/derived"))
	run := func(side harness.Side, args ...string) []byte {
		t.Helper()
		o, err := side.Run(harness.Command{Args: args, Env: env}, root)
		if err != nil || o.Status != 0 {
			t.Fatalf("%q: %v, status %d\n%s", args, err, o.Status, o.Stderr)
		}
		return o.Stdout
	}
	find := func(top string, words ...string) (names []string) {
		t.Helper()
		rows, err := csv.NewReader(bytes.NewReader(run(ours, append([]string{"pmderive", "find", "-o", "csv", "--top", top}, words...)...))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			names = append(names, row[0])
		}
		return names
	}
	if names := find("5", "disk", "latency"); !slices.Contains(names, "disk.dev.await") {
		t.Errorf("disk latency: %q", names)
	}
	list := run(theirs, "pminfo", "-t")
	for _, word := range []string{"disk", "memory", "load", "interrupts", "errors", "swap", "await"} {
		found, n := find("100000", word), 0
		for _, m := range regexp.MustCompile(`(?im)^(\S+) .*\b`+word+`\b.*$|^(\S*\b`+word+`\b\S*) .*$`).FindAllSubmatch(list, -1) {
			name := string(m[1]) + string(m[2])
			if n++; !slices.Contains(found, name) {
				t.Errorf("%s: %s is not found", word, name)
			}
		}
		if t.Logf("%s: %d of %d metrics", word, n, len(found)); n == 0 {
			t.Errorf("the reference has nothing about %s", word)
		}
	}
}

// TestFindQuestions asks questions in the words of people, of a host with the agents of the reference. How many are answered by the first metric, and how
// many by one of five, shall not become less.
func TestFindQuestions(t *testing.T) {
	ours, _, root := harness.Setup(t)
	text, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	args, patterns := []string{"pmderive", ":set output csv"}, []*regexp.Regexp(nil)
	for line := range strings.Lines(string(text)) {
		question, pattern, ok := strings.Cut(strings.TrimSpace(line), "|")
		if ok {
			args, patterns = append(args, ":find "+question), append(patterns, regexp.MustCompile("^(?:"+pattern+")"))
		}
	}
	o, err := ours.Run(harness.Command{Args: args, Env: append(harness.Live(t), "PCP_DERIVED_CONFIG=")}, root)
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(string(o.Stdout), "metric,score,")[1:]
	if len(answers) != len(patterns) {
		t.Fatalf("%d answers to %d questions: %s", len(answers), len(patterns), o.Stderr)
	}
	first, five := 0, 0
	for i, a := range answers {
		at := slices.IndexFunc(strings.Split(a, "\n")[1:], patterns[i].MatchString)
		if t.Logf("%2d %s", at+1, args[i+2]); at == 0 {
			first++
		}
		if at >= 0 && at < 5 {
			five++
		}
	}
	if t.Logf("the first for %d, one of five for %d of %d", first, five, len(patterns)); first < 32 || five < 45 {
		t.Errorf("the first metric answers %d questions, one of five %d", first, five)
	}
}
