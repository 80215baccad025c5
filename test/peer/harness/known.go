package harness

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// Where the rows are, for a test below test/peer.
const (
	knownFile   = "../known.txt"
	differences = "../../known-differences.md"
)

// A row is a line of known.txt: a row of known-differences.md, the command lines where it shows,
// and the lines that then only one side prints.
type row struct {
	line         int // of known.txt
	id           string
	when         string // chance: need not show in a run; live: shows with a daemon only
	command      *regexp.Regexp
	theirs, ours *regexp.Regexp // nil: no line
}

// loadKnown reads known.txt and checks that each of its rows is explained.
func loadKnown(t *testing.T) []row {
	t.Helper()
	list, err := os.ReadFile(knownFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(differences)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for i, l := range strings.Split(string(list), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		f := strings.Split(l, "\t")
		if len(f) != 4 {
			t.Fatalf("known.txt:%d: %d fields, want 4", i+1, len(f))
		}
		id, when, _ := strings.Cut(f[0], " ")
		if !bytes.Contains(doc, []byte("| "+id+" |")) {
			t.Fatalf("known.txt:%d: %q is not a row of known-differences.md", i+1, id)
		}
		rows = append(rows, row{i + 1, id, when, regexp.MustCompile(f[1]), pattern(f[2]), pattern(f[3])})
	}
	return rows
}

// pattern returns a regular expression, or nil for "-".
func pattern(text string) *regexp.Regexp {
	if text == "-" {
		return nil
	}
	return regexp.MustCompile(text)
}

// loners are the lines that only one of two sides prints; its status counts as one.
type loners struct{ theirs, ours []string }

// lonely compares two outcomes.
func lonely(o, r Outcome) (l loners) {
	lines := func(o Outcome) []byte {
		return fmt.Appendf(nil, "%s%sstatus %d\n", ended(Normal(o.Stdout)), ended(Normal(o.Stderr)), o.Status)
	}
	head := true
	for line := range strings.Lines(string(diff.Diff("theirs", lines(r), "ours", lines(o)))) {
		text := strings.TrimSuffix(line[1:], "\n")
		switch {
		case line[0] == '@':
			head = false
		case head:
		case line[0] == '-':
			l.theirs = append(l.theirs, text)
		case line[0] == '+':
			l.ours = append(l.ours, text)
		}
	}
	return l
}

// ended returns b with a newline at its end.
func ended(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		return append(b, '\n')
	}
	return b
}

// explain returns the rows that explain the lines of which each side is alone, nil if one of the
// lines is not explained.
func explain(rows []row, command string, l loners) (used []*row) {
	for _, side := range []struct {
		lines []string
		of    func(k *row) *regexp.Regexp
	}{{l.theirs, func(k *row) *regexp.Regexp { return k.theirs }}, {l.ours, func(k *row) *regexp.Regexp { return k.ours }}} {
		for _, line := range side.lines {
			i := slices.IndexFunc(rows, func(k row) bool {
				re := side.of(&k)
				return re != nil && k.command.MatchString(command) && re.MatchString(line)
			})
			if i < 0 {
				return nil
			}
			if !slices.Contains(used, &rows[i]) {
				used = append(used, &rows[i])
			}
		}
	}
	return used
}

// fired notes in the file PMTOOLS_FIRED, if it is set, that a row has explained a difference.
func (k *row) fired() {
	if name := os.Getenv("PMTOOLS_FIRED"); name != "" {
		if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
			fmt.Fprintln(f, k.line)
			f.Close()
		}
	}
}
