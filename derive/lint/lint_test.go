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

// TestExtendedFindings covers functions that differ in their numbers and times only.
func TestExtendedFindings(t *testing.T) {
	archive := world(t)
	for expr, want := range map[string]int{
		"max_over(mem.util.used, 1min) > max_over(mem.util.used, 5min) ? 1 : 2":  0,
		"max_over(mem.util.used, 5min) == max_over(mem.util.used, 300s) ? 1 : 2": 1,
		"quantile(0.1, mem.util.used) == quantile(0.9, mem.util.used) ? 1 : 2":   0,
	} {
		i := slices.IndexFunc(lint.Rules(), func(r *lint.Rule) bool { return r.Name == "dead-arm" })
		if n := len(check(t, archive, "# language: extended\nx = "+expr+"\n", lint.Rules()[i])); n != want {
			t.Errorf("%s: %d findings of dead-arm, want %d: %v", expr, n, want, check(t, archive, "# language: extended\nx = "+expr+"\n", lint.Rules()[i]))
		}
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
		{"units", "mem.util.used * mem.physmem", "19"},
		{"units", "mem.util.used / mem.physmem", ""},
		{"units", "rate(disk.dev.total_bytes) / mem.util.used / mem.physmem", ""},
		{"units", "100 * mem.util.used", ""},
		{"units", "delta(disk.dev.total) - mem.util.used / mem.physmem", "27"},
		{"units", "delta(disk.dev.total) + 1", ""},
		{"rounded", `rescale(mem.util.used, "Mbyte")`, "5"},
		{"rounded", `rescale(mem.util.used, "byte")`, ""},
		{"rounded", `rescale(mem.util.used, "Kbyte")`, ""},
		{"rounded", `rescale(mem.util.used / 2, "Mbyte")`, ""},
		{"rounded", `rescale(rate(disk.dev.total), "count / hour")`, ""},
		{"no-values", "disk.dev.total[sda] + disk.dev.total[nvme0n1]", "5"},
		{"no-values", "disk.dev.total[sdx]", "5"},
		{"no-values", "matchinst(/^hd/, disk.dev.total)", "5"},
		{"no-values", "matchinst(!/a|n/, disk.dev.total)", "5"},
		{"no-values", "2 * rate(matchinst(/^hd/, disk.dev.total)) / mem.physmem", "14"},
		{"no-values", "matchinst(/^sd/, disk.dev.total) + disk.dev.total[sda]", ""},
		{"no-values", "scalar(disk.dev.total[sda]) + disk.dev.total[nvme0n1]", ""},
		{"dead-arm", "1 ? mem.util.used : mem.util.free", "5"},
		{"dead-arm", "mem.util.used < 0 ? 1 : 2", "5"},
		{"dead-arm", "mem.util.used == mem.util.used ? 1 : 2", "5"},
		{"dead-arm", "!(mem.util.used != mem.util.used) ? 1 : 2", "5"},
		{"dead-arm", "mem.util.used > 0 ? mem.util.free : mem.util.free", "25"},
		{"dead-arm", "defined(mem.util.used) ? mem.util.used : novalue()", ""},
		{"dead-arm", "mem.util.used > 0 ? 1 : 2", ""},
		{"dead-arm", "defined(mem.util.used) && (defined(mem.util.used)) ? mem.util.used : novalue()", "31"},
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

// TestShort covers the shape of the rules: a file of at most 60 lines each, and no reading of files
// or sources but through Facts.
func TestShort(t *testing.T) {
	for _, r := range lint.Rules() {
		if r.Doc == "" || r.Run == nil || r.Bad == "" {
			t.Errorf("%s is not complete", r.Name)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "= Rule{") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		rules++
		if n := strings.Count(string(text), "\n"); n > 60 {
			t.Errorf("%s has %d lines, more than 60", name, n)
		}
	}
	if rules != len(lint.Rules()) {
		t.Errorf("%d files and %d rules", rules, len(lint.Rules()))
	}
}
