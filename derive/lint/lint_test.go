package lint_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/derivetest"
	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

var update = flag.Bool("update", false, "rewrite docs/lint.md")

// world returns the base name of an archive with the metrics of the examples.
func world(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/examples/metrics.cases")
	if err != nil {
		t.Fatal(err)
	}
	return kept(t, t.TempDir(), "metrics", string(text))
}

// linter returns a Linter over an archive.
func linter(t testing.TB, archive string) *lint.Linter {
	t.Helper()
	src, err := pmapi.OpenArchive(context.Background(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return &lint.Linter{Source: query.NewSource(src), Definitions: derive.NewSet()}
}

// check returns what rules say of definitions.
func check(t testing.TB, archive, text string, rules ...*lint.Rule) (list []lint.Diagnostic) {
	t.Helper()
	found, err := linter(t, archive).Files(context.Background(), []lint.File{{Name: "disk.conf", Text: []byte(text)}}, lint.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// marker is the line of docs/lint.md after which the rules are.
const marker = "<!-- The rest is written by go test ./derive/lint -update -->\n"

// TestRules runs the examples of all rules, and compares what they say with the documentation.
func TestRules(t *testing.T) {
	archive := world(t)
	others := slices.DeleteFunc(lint.Rules(), func(r *lint.Rule) bool { // which the good examples of all rules follow
		return r.Name == "no-help"
	})
	var doc strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&doc, "\n## %s\n\n%s\n", r.Name, strings.Join(textwidth.Wrap(strings.ReplaceAll(r.Doc, "*", `\*`), 128), "\n"))
		bad, good := check(t, archive, r.Bad, r), check(t, archive, r.Good, append(others, r)...)
		if len(bad) == 0 || len(good) != 0 {
			t.Errorf("%s: the bad example gives %d findings, the good one %v", r.Name, len(bad), good)
			continue
		}
		fmt.Fprintf(&doc, "\n```\n%s```\n\n", r.Bad)
		for i := range bad {
			if bad[i].Rule != r.Name || bad[i].Severity != lint.SeverityWarning {
				t.Errorf("%s: %v", r.Name, &bad[i])
			}
			fmt.Fprintf(&doc, "> %s\n", strings.ReplaceAll(bad[i].String(), "*", `\*`))
			for _, note := range bad[i].Notes {
				fmt.Fprintf(&doc, "> (%s)\n", strings.ReplaceAll(note, "*", `\*`))
			}
		}
		fmt.Fprintf(&doc, "\nInstead:\n\n```\n%s```\n", r.Good)
	}
	const name = "../../docs/lint.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, ok := strings.Cut(string(text), marker)
	switch {
	case !ok:
		t.Fatalf("%s has no line %s", name, marker)
	case *update:
		err = os.WriteFile(name, []byte(head+marker+doc.String()), 0o666)
	case tail != doc.String():
		err = fmt.Errorf("%s is not what the rules say; go test ./derive/lint -update writes it", name)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestFindings covers what each rule reports and leaves alone.
func TestFindings(t *testing.T) {
	archive := world(t)
	byName := make(map[string]*lint.Rule)
	for _, r := range lint.Rules() {
		byName[r.Name] = r
	}
	for _, tt := range []struct {
		rule, expr string
		want       string // columns of findings
	}{
		{"non-counter", "rate(mem.util.used) + rate(mem.util.free)", "5 27"},
		{"non-counter", "rate(disk.dev.total)", ""},
		{"non-counter", "delta(rate(disk.dev.total))", ""},
		{"non-counter", "delta(delta(mem.util.used))", "11"},
		{"counter", "disk.dev.total > 5", "5"},
		{"counter", "disk.dev.total == 0", ""},
		{"counter", "disk.dev.total ? disk.dev.total : novalue()", "5"},
		{"counter", "(disk.dev.total > 5) ? rate(disk.dev.total) : novalue()", "6"},
		{"counter", "avg(disk.dev.total)", "9"},
		{"counter", "sum(disk.dev.total)", ""},
		{"counter", "rate(disk.dev.total) > 5", ""},
		{"wrap", "delta(disk.dev.avactive) + delta(disk.dev.avactive * 2)", "5 32"},
		{"wrap", "delta(disk.dev.total)", ""},
		{"constant-units", "mem.util.used > 5", "21"},
		{"constant-units", "5 < mem.util.used", "5"},
		{"constant-units", "mem.util.used > 0", ""},
		{"constant-units", "disk.dev.total > 5", ""},
		{"constant-units", "mem.util.used / mem.physmem > 0.9", ""},
		{"scale", `mem.util.used > mkconst(8, units="Mbyte")`, "19"},
		{"scale", `mem.util.used > mkconst(8, units="Kbyte")`, ""},
		{"rounded", `rescale(mem.util.used, "Mbyte")`, "5"},
		{"rounded", `rescale(mem.util.used, "byte")`, ""},
		{"rounded", `rescale(mem.util.used, "Kbyte")`, ""},
		{"rounded", `rescale(mem.util.used / 2, "Mbyte")`, ""},
		{"rounded", `rescale(rate(disk.dev.total), "count / hour")`, ""},
		{"novalue", `defined(mem.util.used) ? mem.util.used : novalue(type=u64, semantics=instant, units="Kbyte")`, ""},
		{"novalue", `defined(mem.util.used) ? mem.util.used : novalue(type=u64, semantics=instant, units="byte")`, "46"},
		{"novalue", "defined(mem.util.used) ? mem.util.used : novalue(meta=mem.util.free)", ""},
		{"novalue", "defined(mem.nothing) ? novalue(type=u32) : mem.util.used", "28"},
		{"novalue", "defined(mem.nothing) ? mem.nothing : novalue(type=u32)", ""},
		{"novalue", "mem.util.used > 0 ? mem.util.used : novalue(type=u64, semantics=instant, units=Kbyte)", ""},
		{"ignored", `rescale(mem.util.used, "4 Mbyte")`, "28"},
		{"ignored", `mkconst(1, units="sec", units="Kbyte", type=u32)`, "16"},
	} {
		var got []string
		for _, d := range check(t, archive, "x = "+tt.expr+"\n", byName[tt.rule]) {
			got = append(got, fmt.Sprint(d.Column))
			if d.Rule != tt.rule {
				t.Errorf("%s: %v", tt.expr, &d)
			}
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s of %s: columns %q, want %q", tt.rule, tt.expr, g, tt.want)
		}
	}
}

// kept writes the metrics in a file of cases into an archive, and returns its name.
func kept(t testing.TB, dir, name, text string) string {
	t.Helper()
	f, err := derivetest.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(context.Background(), &derivetest.Options{Keep: dir}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name, "input")
}

// TestGone: files may still switch off rules that there are no more.
func TestGone(t *testing.T) {
	for rule, want := range map[string]int{"dead-arm": 0, "no-values": 0, "cost": 0, "wrong": 1} {
		found := check(t, world(t), "# pmderive: ignore-file "+rule+"\nx = rate(disk.dev.total)\n", lint.Rules()[0])
		if len(found) != want {
			t.Errorf("%s: %v", rule, found)
		}
		if _, err := lint.RulesBut([]string{rule}); (err != nil) != (want > 0) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
