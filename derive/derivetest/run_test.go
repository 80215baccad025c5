package derivetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// run runs a file of cases beside definitions, and returns what fails.
func run(t *testing.T, definitions, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.conf"), []byte(definitions), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(filepath.Join(dir, "x.cases"), []byte("definitions x.conf\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Run(t.Context(), nil)
	if err != nil {
		return strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	}
	var b strings.Builder
	for i := range r.Results {
		for _, fail := range r.Results[i].Failures {
			fmt.Fprintf(&b, "%d: %s\n", fail.Line, fail.Message)
			for _, m := range fail.Values {
				fmt.Fprintf(&b, "%v %s: %s, not %s\n", m.At, m.Instance, m.Found, m.Expected)
			}
			for _, s := range fail.Steps {
				if s.Lost {
					fmt.Fprintf(&b, "lost in %s\n", s.Expr)
				}
			}
		}
	}
	return b.String() + strings.Join(r.Warnings, "\n")
}

// TestRun covers what comes of cases.
func TestRun(t *testing.T) {
	const world = "metric a u32 counter count indom 60.1\n x 0+10x2\n y 5 _ 15\nmetric g double instant none indom 60.1\n x 1 2 3\n y 4 5 6\nmetric s string discrete\n value \"up\"x1 \"down\"\n"
	for _, tt := range []struct{ name, definitions, cases, want string }{
		{"right", "d = rate(a)\n", "case c\neval d\nis double instant \"count / sec\" indom 60.1\nx _ 1 1\ny _x3\n", ""},
		{"wrong", "d = rate(a)\n", "case c\neval d\nx _ 1 2\n", "11: \n20s x: 1, not 2\n"},
		{"an instance that nobody expects", "", "case c\neval g\nx 1 2 3\n", "11: \n0s y: 4, not _\n10s y: 5, not _\n20s y: 6, not _\n"},
		{"a part of the time", "", "case c\neval g\nat 10s..20s\nx 2 3\ny 5 7\n", "11: \n20s y: 6, not 7\n"},
		{"lost", "d = g + scalar(a[z])\n", "case c\neval 1 + rate(a) * 2\nx _ 1 2\n", "11: dimensions are not the same\n"},
		{"lost in a selection", "d = g + g[z]\n", "case c\neval d\nx 1 2 3\n", "11: \n0s x: _, not 1\n10s x: _, not 2\n20s x: _, not 3\nlost in g[z]\n"},
		{"texts", "", "case c\neval s\nvalue \"up\" \"up\" \"up\"\n", "11: \n20s : \"down\", not \"up\"\n"},
		{"nested", "d = g + 1\ne = d * 2\n", "case c\neval e\nerror d is a derived metric\n", ""},
		{"expanded", "d = g + 1\ne = d * 2\n", "expand\ncase c\neval e\nx 4 6 8\ny 10 12 14\neval e - d\nx 2 3 4\ny 5 6 7\n", ""},
		{"definitions with mistakes", "d = g +\ne = 1\n", "case c\neval e\nvalue 1x2\n", "x.conf:1] Error, which pmderive check shows"},
		{"nothing expected", "", "case c\neval g\n", "11: nothing is expected; --record writes what is now\n"},
		{"too few values", "", "case c\neval g\nx 1\n", "x.cases:12: 1 values, and there are 3 samples"},
		{"between samples", "", "case c\neval g\nat 5s\nx 1\n", "x.cases:11: there are samples every 10s from 0s to 20s only"},
		{"after the end", "", "case c\neval g\nat 30s\nx 1\n", "x.cases:11: there are samples every 10s from 0s to 20s only"},
		{"no integer", "", "metric b u32 instant\n value 1 1.5 2\ncase c\neval b\n", "x.cases:11: 1.5 is not an integer"},
		{"rows without a domain", "", "metric b u32 instant\n x 1x2\ncase c\neval b\n", "x.cases:10: b has no indom, so it has one row, which begins with value"},
		{"a row for a domain", "", "metric b u32 instant indom 1.2\n value 1x2\ncase c\neval b\n", "x.cases:10: b has indom 1.2, so it needs rows with instances"},
		{"as it is", "", "case c\neval a\nx 0 10 20\ny 5 _ 15\n", ""},
	} {
		got := run(t, tt.definitions, world+tt.cases)
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestRecord covers that what is recorded comes out again, twice the same.
func TestRecord(t *testing.T) {
	const text = "metric a u32 counter count indom 60.1\n x 0+10x2\n \"y z\" 5 _ 15\ncase one\neval rate(a)\neval a\nat 10s\neval no\ncase two\neval sum(a)\nvalue 5 10 35\n"
	f, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	once, err := f.Record(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = Parse("f", once); err != nil {
		t.Fatal(err)
	}
	r, err := f.Run(t.Context(), nil)
	if err != nil {
		t.Errorf("%v, %+v\n%s", err, r, once)
	} else if r.Failed() != 0 || !r.Results[0].Recorded || r.Results[1].Recorded {
		t.Errorf("%v, %+v\n%s", err, r, once)
	}
	twice, err := f.Record(t.Context(), nil)
	if err != nil || string(twice) != string(once) {
		t.Errorf("%v: at first\n%sand then\n%s", err, once, twice)
	}
}

// TestQuote: no message quotes a line of a file under test, which may be one that its reader may not see.
func TestQuote(t *testing.T) {
	got := run(t, "a = 1\nroot:$6$secret:1:0\nb = secret +\n", "metric m u32 instant\nvalue 1\ncase c\neval m\nvalue 1\n")
	if strings.Contains(got, "secret") || !strings.Contains(got, "x.conf:2] Error, which pmderive check shows") {
		t.Error(got)
	}
}

// TestTooManyValues evaluates more values than are kept.
func TestTooManyValues(t *testing.T) {
	text := "metric m u32 instant\nvalue 1x99999\ncase c\n" + strings.Repeat("eval m + 1\n", 11)
	want := "m + 1 and what is evaluated with it have more than 1048576 values; take fewer samples or expressions"
	if got := run(t, "", text); !strings.HasPrefix(got, "x.cases:") || !strings.Contains(got, want) {
		t.Errorf("%.300s, want %s", got, want)
	}
}

// TestRunEnds checks that a run ends with its context and leaves no files behind.
func TestRunEnds(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := Parse("x", []byte("metric m u32 instant\nvalue 1x999999\ncase c\neval m\nat 0s\nvalue 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := f.Run(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}
