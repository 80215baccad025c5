package repl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/repl"
)

func TestPlace(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "x.a = t.b * 2", "y = x.a + x.a")
	for _, tt := range []struct {
		text   string
		part   string // of the expanded text
		orig   int
		inside string
	}{
		{"1 + x.a + t.c", "t.c", 10, ""},
		{"1 + x.a + t.c", "1 +", 0, ""},
		{"1 + x.a + t.c", "(t.b", 4, "x.a"},
		{"1 + x.a + t.c", "* 2", 4, "x.a"},
		{"x.a + x.a + t.c", "t.c", 12, ""},
		{"x.a[one] / y", "[one]", 3, ""},
		{"x.a[one] / y", "/", 9, ""},
		{"x.a[one] / y", "((t.b", 11, "y"},
	} {
		text, _, _, err := repl.PlaceIn(s, tt.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, orig, inside, _ := repl.PlaceIn(s, tt.text, strings.Index(text, tt.part))
		if orig != tt.orig || inside != tt.inside {
			t.Errorf("%q in %q is at %d in %q, want %d in %q", tt.part, text, orig, inside, tt.orig, tt.inside)
		}
	}
}

// TestExpansionLimits has definitions that grow without end when they are expanded.
func TestExpansionLimits(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "d0 = t.b + t.c")
	out := ""
	for i := range 30 {
		out = run(s, fmt.Sprintf("d%d = d%d * d%d", i+1, i, i))
		if strings.Contains(out, "!!") {
			break
		}
	}
	if !strings.Contains(out, "the expanded expression is too long") {
		t.Errorf("doubling: %s", out[:min(len(out), 300)])
	}
	var file strings.Builder
	file.WriteString("c0 = t.s\n")
	for i := range 1200 {
		fmt.Fprintf(&file, "c%d = c%d\n", i+1, i)
	}
	s = newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"deep": file.String()} })
	out = run(s, ":load deep", "c500")
	if !strings.Contains(out, "c1200 does not fit this source: definitions are nested too deeply") || !strings.HasSuffix(out, "\n0\n") {
		t.Errorf("a chain: %s", out[max(0, len(out)-300):])
	}
}

// TestMasking has definitions of the same name in the source, the session and the files that are loaded first.
func TestMasking(t *testing.T) {
	reg := derive.NewRegistry(nil)
	for name, expr := range map[string]string{"t.s": "100", "g.one": "1", "g.two": "g.one + 1"} {
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	s := newSession(t, "ta", func(o *repl.Options) { o.Registry = reg })
	for _, tt := range []struct{ item, want string }{
		{"t.s", "\n0\n"},
		{"g.one", "\n1\n"},
		{"g.two", "\n2\n"},
		{"g.one = 5", "g.one: 32-bit unsigned int, discrete, no units\n"},
		{"g.one", "\n5\n"},
		{"g.two", "\n6\n"},
		{":drop g.one", ""},
		{"g.two", "\n2\n"},
		{":drop g.two", "!! g.two was loaded before the session, and stays as it is\n"},
	} {
		if got := run(s, tt.item); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.item, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, text := range []string{"plain", "with \"quotes\" inside", "\"begins", "'begins", " blank", "two\nlines", `back\slash`, "x\n\"\\y'", "\tx"} {
		q := repl.Quote(text)
		if got, closed := repl.Unquote(q); got != text || !closed {
			t.Errorf("%q is quoted as %q, which is %q", text, q, got)
		}
		s := newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"in": "a = 1\na(helptext) = " + q + "\n"} })
		if out := run(s, ":load in", ":save out", ":text a"); !strings.HasSuffix(out, strings.TrimRight(text, "\n")+"\n") {
			t.Errorf("%q: %q", q, out)
		}
		for _, d := range s.Definitions() {
			if d.Help != text {
				t.Errorf("%q is read as %q", q, d.Help)
			}
		}
	}
}

func TestSnippetOfLongLines(t *testing.T) {
	long := strings.Repeat("a + ", 1000)
	for _, pos := range []int{0, 10, 2000, len(long)} {
		lines := strings.Split(repl.Snippet(long, pos), "\n")
		if len(lines[0]) > 900 {
			t.Errorf("a line of %d bytes", len(lines[0]))
		}
		if at := strings.IndexByte(lines[1], '^'); pos < len(long) && lines[0][at] != long[pos] {
			t.Errorf("the caret for %d is below %q", pos, lines[0][at])
		}
	}
	wide := strings.Repeat("世", 500)
	if text := repl.Snippet(wide, 900); strings.Contains(text, "\uFFFD") {
		t.Errorf("a character is cut: %q", text)
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
		expanded, _, _, err := repl.PlaceIn(s, text, 0)
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
