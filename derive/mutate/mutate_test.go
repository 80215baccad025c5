package mutate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive/check"
	"pmtools/derive/derivetest"
	_ "pmtools/test/env"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"a / b", "a * b; b / a"},
		{"a - b - 100", "a + b - 100; b - a - 100; a - b + 100; 100 - (a - b); a - b - 101; a - b - 1"},
		{"rate(a)", "delta(a); (a)"},
		{"sum(a) < 0.5", "avg(a) < 0.5; max(a) < 0.5; sum(a) <= 0.5; sum(a) >= 0.5; sum(a) < 1.5"},
		{"sum(a) by (b)", "avg(a) by (b); max(a) by (b); sum(a); sum(a) by (hostname)"},
		{"count(a) by (b , hostname,c)", "sum(a) by (b , hostname,c); count(a); count(a) by (hostname,c); " +
			"count(a) by (b,c); count(a) by (b , hostname)"},
		{"a > b ? a : b", "!(a > b) ? a : b; a >= b ? a : b; a <= b ? a : b; a > b ? (b) : a"},
		{`rescale(a, "Kbyte / sec")`, `(a); rescale(a, "mbyte / sec"); rescale(a, "Kbyte / min")`},
		{"matchinst(/x/, -a)", "matchinst(!/x/, -a); matchinst(/x/, a)"},
		{"matchinst(!/x/, a) && !b", "matchinst(/x/, a) && !b; matchinst(!/x/, a) || !b; matchinst(!/x/, a) && b"},
		{"4294967295", "0"},
		{"max(a, b) + clamp(a, 1, 2)", "min(a, b) + clamp(a, 1, 2); max(a, b) - clamp(a, 1, 2); max(a, b) + clamp(a, 2, 2); max(a, b) + clamp(a, 1, 3)"},
		{"mkconst(1, type=u32)", "mkconst(2, type=u32)"},
		{"avg_over(a, 5 min)", "max_over(a, 5 min); min_over(a, 5 min); (a); avg_over(a, 10min); avg_over(a, 2.5min)"},
		{"max_over(a, 1hour )", "avg_over(a, 1hour ); min_over(a, 1hour ); (a); max_over(a, 2hour ); max_over(a, 0.5hour )"},
		{"min_over(a, 90s)", "avg_over(a, 90s); max_over(a, 90s); (a); min_over(a, 180s); min_over(a, 45s)"},
		{"smooth(a, 1min)", "avg_over(a, 1min); (a); smooth(a, 2min); smooth(a, 0.5min)"},
		{"shift(a, 1day)", "(a); shift(a, 2day); shift(a, 0.5day)"},
		{"quantile_over(.9, a, 1min)", "quantile_over(0.5, a, 1min); avg_over(a, 1min); max_over(a, 1min); (a); quantile_over(.9, a, 2min); quantile_over(.9, a, 0.5min)"},
		{"quantile(0.5, a)", "quantile(0.9, a)"},
		{"quantile(1, a)", "quantile(0.5, a)"},
		{"a * mkconst(4, type=u32, meta=b)", "a / mkconst(4, type=u32, meta=b); a * mkconst(5, type=u32, meta=b); a * mkconst(4, type=u32, meta=a); a * mkconst(4, type=u32)"},
		{"a ? b : novalue(meta=b, type=u32)", "!(a) ? b : novalue(meta=b, type=u32); " +
			"a ? b : novalue(meta=a, type=u32); a ? b : novalue( type=u32)"},
		{"a ? b : novalue( meta=b )", "!(a) ? b : novalue( meta=b ); a ? b : novalue( meta=a ); a ? b : novalue(  )"},
	} {
		x, err := check.Extended.Syntax().Parse(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, m := range changes(c.expr, x) {
			text := c.expr[:m.start] + m.text + c.expr[m.end:]
			if _, err := check.Extended.Syntax().Parse(text); err != nil {
				t.Errorf("%s: %s: %v", c.expr, text, err)
			}
			got[text] = true
		}
		want := make(map[string]bool)
		for text := range strings.SplitSeq(c.want, "; ") {
			want[text] = true
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", c.expr, d)
		}
	}
}

const metrics = `
metric a u32 instant none
  value 5 20
metric b u64 counter count
  value 0 100
metric s u32 instant byte indom 60.1
  "x y" 1024 2048
  z 4 _
`

// bench returns the Bench of a file of cases over definitions.
func bench(t *testing.T, dir, conf, cases string) *derivetest.Bench {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "d.conf"), []byte(conf), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := derivetest.Parse(filepath.Join(dir, "d.cases"), []byte("definitions d.conf\n"+cases))
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := f.Bench(t.Context(), nil)
	switch {
	case err != nil:
		t.Fatal(err)
	case b == nil:
		t.Fatal(r.Results[0].Text())
	}
	return b
}

func TestRun(t *testing.T) {
	for _, c := range []struct{ conf, cases, want string }{
		{"x = a * 2\n", "case 1\neval x\nvalue 10 40\n", "* became /: killed, 2 became 3: killed"},
		{"x = a * 2\n", "case 1\neval x\nat 0s\nvalue 10\n", "* became /: killed, 2 became 3: killed"},
		{"x = a * 2\n", "case 1\neval a\nvalue 5 20\n", "* became /: survived, 2 became 3: survived"},
		{"x = a > 10\n", "case 1\neval x\nvalue 0 1\n", "> became >=: survived, > became <=: killed, 10 became 11: survived"},
		{"x = b > 10\n", "case 1\neval x\nvalue 0 1\n", "> became >=: survived, > became <=: killed, 10 became 11: survived"},
		{"x = rate(b)\n", "case 1\neval x\nvalue _ 10\n", "rate became delta: killed, rate() was left out: killed"},
		{"x = defined(a) ? a : b * 2\n", "case 1\neval x\nvalue 5 20\n",
			"the condition was negated: killed, the arms were swapped: killed, * became /: equivalent, 2 became 3: equivalent"},
		{"x = instant(a) * 1\n", "case 1\neval a\nvalue 5 20\n", "* became /: survived, instant() was left out: equivalent, 1 became 2: survived"},
		{"# language: extended\nx = avg_over(a, 20s)\n", "case 1\neval a\nvalue 5 20\n", "avg_over became max_over: survived, avg_over became min_over: survived, " +
			"avg_over() was left out: survived, 20s became 40s: survived, 20s became 10s: survived"},
		{"# language: extended\nx = avg_over(a, 20s)\n", "case 1\neval x\nvalue 5 12.5\n", "avg_over became max_over: killed, avg_over became min_over: killed, " +
			"avg_over() was left out: killed, 20s became 40s: survived, 20s became 10s: killed"},
		{"# language: extended\nx = shift(s, 1hour)\n", "case 1\neval a\nvalue 5 20\n", "shift() was left out: survived, 1hour became 2hour: survived, 1hour became 0.5hour: survived"},
		{"# language: extended\nx = smooth(a, 90s)\n", "case 1\neval a\nvalue 5 20\n", "smooth became avg_over: survived, smooth() was left out: survived, " +
			"90s became 180s: survived, 90s became 45s: survived"},
		{"# language: extended\nx = quantile_over(.9, a, 1min)\n", "case 1\neval a\nvalue 5 20\n", "quantile_over() was left out: survived, 1min became 2min: survived, " +
			"1min became 0.5min: survived, quantile_over became avg_over: survived, quantile_over became max_over: survived, .9 became 0.5: survived"},
		{"x = a * mkconst(2, type=u32, meta=b)\n", "case 1\neval x\nvalue 10 40\n",
			"* became /: refused, 2 became 3: killed, b became a: survived, meta=b was left out: survived"},
		{"x = a * mkconst(2, type=u32, meta=b)\n", "case 1\neval x\nis u32 instant count\nvalue 10 40\n",
			"* became /: refused, 2 became 3: killed, b became a: killed, meta=b was left out: killed"},
		{"x = none.such * 2\n", "case 1\neval a\nvalue 5 20\n", "* became /: untried, 2 became 3: untried"},
		{"x = max(s) - min(s)\n", "case 1\neval x\nat 0s\nvalue 1020\n",
			"- became +: killed, the operands of - were swapped: killed, max became min: killed, min became max: killed"},
		{"x = matchinst(/^x/, s)\n", "case 1\neval x\n\"x y\" 1024 2048\n", "the pattern was negated: killed"},
		{"in = a * 2\nx = in + 1\n", "expand\ncase 1\neval x + 0\nvalue 11 41\n",
			"* became /: killed, 2 became 3: killed, + became -: killed, 1 became 2: killed"},
	} {
		before, rest, expand := strings.Cut(c.cases, "expand\n")
		text := metrics + before + rest
		if expand {
			text = "expand\n" + text
		}
		dir := t.TempDir()
		r, err := Run(t.Context(), []*derivetest.Bench{bench(t, dir, c.conf, text)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range r.Mutants {
			got = append(got, fmt.Sprintf("%s: %s", m.What, m.Status))
			if m.Status == Survived {
				confirm(t, dir, c.conf, m, r.Cases[m.Case-1].Text)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, ", ")); d != "" {
			t.Errorf("%s%s", c.conf, d)
		}
	}
}

// TestStep: a case that is shown has the step of the file, of any length.
func TestStep(t *testing.T) {
	dir := t.TempDir()
	conf := "x = rate(b)\n"
	r, err := Run(t.Context(), []*derivetest.Bench{bench(t, dir, conf, "step 500msec\n"+metrics+"case 1\neval a\nvalue 5 20\n")})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Mutants {
		if m.Status == Survived {
			confirm(t, dir, conf, m, r.Cases[m.Case-1].Text)
		}
	}
	if n := r.Counts[Survived]; n != 2 || !strings.Contains(r.Cases[0].Text, "\nstep 0.5s\n") {
		t.Errorf("%d mutants survive, want 2 and a step of 0.5s:\n%v", n, r.Cases)
	}
}

// confirm runs a case as a user does: it passes, and fails with the mutant in the file of definitions.
func confirm(t *testing.T, dir, conf string, m *Mutant, text string) {
	t.Helper()
	run := func(conf string) int {
		if err := os.WriteFile(filepath.Join(dir, "d.conf"), []byte(conf), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := derivetest.Parse(filepath.Join(dir, "new.cases"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Failed()
	}
	mutant := strings.Replace(conf, m.of.String(), m.Expr, 1)
	if n := run(conf); n != 0 {
		t.Errorf("%s: the case fails:\n%s", conf, text)
	}
	if n := run(mutant); n != 1 {
		t.Errorf("%s: the case passes:\n%s", mutant, text)
	}
}

// TestAgain: the same files have the same report.
func TestAgain(t *testing.T) {
	var texts []string
	for range 2 {
		dir := t.TempDir()
		r, err := Run(t.Context(), []*derivetest.Bench{bench(t, dir, "x = a > 10 ? a * 2 : a\ny = rate(b)\nz = s * 3\n", metrics+"case 1\neval x\nat 0s\nvalue 5\n")})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.ReplaceAll(r.Text(0, true), dir, ""))
	}
	if d := cmp.Diff(texts[0], texts[1]); d != "" {
		t.Error(d)
	}
}

func TestInterrupt(t *testing.T) {
	b := bench(t, t.TempDir(), "x = a > 10\n", metrics+"case 1\neval x\nvalue 0 1\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, []*derivetest.Bench{b}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was interrupted", err)
	}
}

// TestFailing: cases that fail have no Bench.
func TestFailing(t *testing.T) {
	dir := t.TempDir()
	f, err := derivetest.Parse(filepath.Join(dir, "d.cases"), []byte(metrics+"case 1\neval a\nvalue 5 21\n"))
	if err != nil {
		t.Fatal(err)
	}
	b, r, err := f.Bench(t.Context(), nil)
	if err != nil || b != nil || r.Failed() != 1 {
		t.Errorf("%v, %v, %+v", b, err, r)
	}
}
