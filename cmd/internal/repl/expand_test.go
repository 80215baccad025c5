package repl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	linter "pmtools/derive/lint"
)

func TestPlace(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "x.a = t.b * 2", "y = x.a + x.a", "z = t.a - y")
	for _, tt := range []struct{ text, want string }{
		{"1 + x.a + t.a", "!! illegal operator for non-counter and counter\n  1 + x.a + t.a\n          ^\n" +
			"  left 1 + (t.b * 2): 32-bit unsigned int, instant, no units, indom 245.1\n  right t.a: 32-bit unsigned int, counter, count\n  use delta() or instant() of the counter: instant(t.a)\n"},
		{"(x.a[one] / y) + t.a", "!! illegal operator for non-counter and counter\n  (x.a[one] / y) + t.a\n                 ^\n" +
			"  left ((t.b * 2)[one] / ((t.b * 2) + (t.b * 2))): double, instant, no units, indom 245.1\n  right t.a: 32-bit unsigned int, counter, count\n  use delta() or instant() of the counter: instant(t.a)\n"},
	} {
		if got := run(s, tt.text); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.text, got, tt.want)
		}
	}
	// z does not fit, so it was not defined; in a file it is.
	s = newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"f": "z = 1 + t.b - t.a\ny = z * 2\nx = y + y\n"} })
	run(s, ":load f")
	want := "!! illegal operator for non-counter and counter\n  3 + x\n      ^\n" +
		"  left 1 + t.b: 32-bit unsigned int, instant, no units, indom 245.1\n  right t.a: 32-bit unsigned int, counter, count\n  use delta() or instant() of the counter: instant(t.a)\n" +
		"  in the definition of z\n  in the definition of x\n"
	if got := run(s, "3 + x"); got != want {
		t.Errorf("three levels deep:\n%swant\n%s", got, want)
	}
}

// TestExpansionLimits covers definitions that grow without end when they are expanded. They are
// refused by counting, and what is below the limits is evaluated in a time that depends on the
// definitions and not on what they expand to.
func TestExpansionLimits(t *testing.T) {
	var deep, double strings.Builder
	deep.WriteString("c0 = t.s\n")
	for i := range 10_000 {
		fmt.Fprintf(&deep, "c%d = c%d\n", i+1, i)
	}
	double.WriteString("d0 = t.b + t.c\n")
	for i := range 40 {
		fmt.Fprintf(&double, "d%d = d%d * d%d\n", i+1, i, i)
	}
	s := newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"deep": deep.String(), "double": double.String()} })
	const tooDeep = "definitions are nested too deeply: more than 1000 inside each other"
	const tooLong = "the expanded expression is too long: more than 1048576 bytes"
	for _, tt := range []struct{ item, want string }{
		{":load deep", "\nc10000 does not fit this source: " + tooDeep + "\n"},
		{"c500", "\n0 @ 2001-09-09 01:46:40 UTC\n"},
		{"c10000", "!! " + tooDeep + "\n  c10000\n  ^\n"},
		{":drop c10000", ""},
		{":load double", "\nd40 does not fit this source: " + tooLong + "\n"},
		{"d14", "\na]b        0\n"},
		{"rate(d40)", "!! " + tooLong + "\n  rate(d40)\n       ^\n"},
	} {
		start := time.Now()
		if out := run(s, tt.item); !strings.HasSuffix(out, tt.want) {
			t.Errorf("%s: %s", tt.item, out[max(0, len(out)-300):])
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s takes %v", tt.item, d)
		}
	}
}

// TestMasking covers definitions of the same name in the source, the session and the files that are
// loaded first.
func TestMasking(t *testing.T) {
	reg := derive.NewRegistry(nil)
	for name, expr := range map[string]string{"t.s": "100", "g.one": "1", "g.two": "g.one + 1"} {
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	s := newSession(t, "ta", func(o *repl.Options) { o.Definitions = reg.Set() })
	for _, tt := range []struct{ item, want string }{
		{"t.s", "0 @ 2001-09-09 01:46:40 UTC\n"},
		{"g.one", "\n1 @ 2001-09-09 01:46:40 UTC\n"},
		{"g.two", "\n2 @ 2001-09-09 01:46:40 UTC\n"},
		{"g.one = 5", "g.one: 32-bit unsigned int, discrete, no units\n"},
		{"g.one", "\n5 @ 2001-09-09 01:46:40 UTC\n"},
		{"g.two", "\n6 @ 2001-09-09 01:46:40 UTC\n"},
		{":drop g.one", ""},
		{"g.two", "\n2 @ 2001-09-09 01:46:40 UTC\n"},
		{":drop g.two", "!! g.two was loaded before the session, and stays as it is\n"},
	} {
		if got := run(s, tt.item); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.item, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	d, err := derive.Compile("a", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"plain", "with \"quotes\" inside", "\"begins", "'begins", " blank", "two\nlines", `back\slash`, "x\n\"\\y'", "\tx"} {
		q := strings.TrimPrefix(linter.Text(d.With(derive.Notes{Help: &text}), d.Expr()), "a = 1\na(helptext) = ")
		q = strings.TrimSuffix(q, "\n")
		if got, closed := repl.Unquote(q); got != text || !closed {
			t.Errorf("%q is quoted as %q, which is %q", text, q, got)
		}
		s := newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"in": "a = 1\na(helptext) = " + q + "\n"} })
		if out := run(s, ":load in", ":save out", ":text a"); !strings.HasSuffix(out, strings.TrimRight(text, "\n")+"\n") {
			t.Errorf("%q: %q", q, out)
		}
		for _, d := range s.Definitions() {
			if d.Help == nil {
				t.Errorf("%q is not read", q)
			} else if *d.Help != text {
				t.Errorf("%q is read as %q", q, *d.Help)
			}
		}
	}
}

// randomExpr returns an expression over metrics and definitions.
func randomExpr(rng *rand.Rand, depth int) string {
	operands := []string{"t.b", "t.c", "t.s", "t.d", "x.a", "x.b", "x.c", "2", "0.5", "x.a[one]", "mkconst(3, meta=x.b)"}
	if depth == 0 || rng.IntN(4) == 0 {
		return operands[rng.IntN(len(operands))]
	}
	x, y := randomExpr(rng, depth-1), randomExpr(rng, depth-1)
	switch rng.IntN(6) {
	case 0:
		return "(" + x + ")"
	case 1:
		return "-" + x
	case 2:
		return "instant(" + x + ")"
	case 3:
		return "x.c > 0 ? " + x + " : novalue()"
	}
	return x + []string{" + ", " - ", " * ", " / ", " < "}[rng.IntN(5)] + y
}

// TestExpansionMeans evaluates expressions with definitions in them, and what they are expanded to.
func TestExpansionMeans(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "x.a = t.b + 1", "x.b = x.a - t.c", "x.c = t.d - x.x", "x.c = 1 - t.s", ":next 3")
	rng := rand.New(rand.NewPCG(3, 4))
	good := 0
	for range 2000 {
		text := randomExpr(rng, 3)
		got := run(s, text)
		if strings.Contains(got, "!!") {
			continue
		}
		good++
		for strings.HasPrefix(got, "expanded ") {
			_, got, _ = strings.Cut(got, "\n")
		}
		expanded, err := repl.Expand(s, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if want := run(s, expanded); got != want {
			t.Fatalf("%s is\n%sbut %s is\n%s", text, got, expanded, want)
		}
	}
	if good < 500 {
		t.Errorf("only %d expressions are right", good)
	}
}
