package repl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/cmd/internal/repl"
	linter "pmtools/derive/lint"
)

// lint returns what is found in a file, a line each.
func lint(t testing.TB, s *repl.Session, text string, opt linter.Options) string {
	t.Helper()
	list, err := s.Lint(context.Background(), []linter.File{{Name: "f", Text: []byte(text)}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range list {
		fmt.Fprintln(&b, list[i].String())
	}
	return b.String()
}

// only returns what looks for one rule.
func only(name string) linter.Options {
	rules := linter.Rules()
	i := slices.IndexFunc(rules, func(r *linter.Rule) bool { return r.Name == name })
	return linter.Options{Rules: rules[i : i+1]}
}

func TestLint(t *testing.T) {
	s := newSession(t, "ta")
	syntax, expand := linter.Options{Syntax: true}, linter.Options{Expand: true}
	shadowed, noHelp, nonCounter := only("shadowed"), only("no-help"), only("non-counter")
	for _, tt := range []struct {
		name string
		text string
		opt  linter.Options
		want string
	}{
		{"nothing", "", linter.Options{}, ""},
		{"good", "# c\na = t.b + 1\na(oneline) = x\na(helptext) = y\n", linter.Options{}, ""},
		{"syntax", "a = t.b +\n", linter.Options{}, "f:1:10: error: found the end, expected a metric, a number, a function, '(', '-' or '!'\n"},
		{"second line", "a = t.b \\\n  + )\n", syntax, "f:2:5: error: found ')', expected a metric, a number, a function, '(', '-' or '!'\n"},
		{"unknown", "a = t.b\n\nb = 1 + t.bb\n", linter.Options{}, "f:3:9: error: unknown metric t.bb\n"},
		{"unknown without a source", "b = 1 + t.bb\n", syntax, ""},
		{"meaning", "a = t.a + t.b\n", linter.Options{}, "f:1:9: error: illegal operator for counter and non-counter\n"},
		{"nested", "a = t.b\nb = a + 1\n", linter.Options{}, "f:2:5: error: a is a derived metric, which the language does not allow inside another\n"},
		{"nested without a source", "a = t.b\nb = a + 1\n", syntax, ""},
		{"nested and expanded", "a = t.b\nb = a + 1\nc = b[one]\n", expand, ""},
		{"order does not matter", "b = a + 1\na = t.b\n", expand, ""},
		{"cycle", "a = b\nb = a\n", expand, "f:1:5: error: a is defined by itself\nf:2:5: error: b is defined by itself\n"},
		{"cycle without a source", "a = b\nb = a\n", linter.Options{Syntax: true, Expand: true}, "f:1:5: error: a is defined by itself\nf:2:5: error: b is defined by itself\n"},
		{"meaning of an inner one", "a = t.b\nb = a + t.a\n", expand, "f:2:7: error: illegal operator for non-counter and counter\n"},
		{"twice", "a = t.b\na = t.c\n", syntax, "f:2:1: error: a is defined already\n"},
		{"hidden", "t.b = 1\n", shadowed, "f:1:1: warning: the source has a metric t.b, which hides this definition [shadowed]\n"},
		{"not in the source", "a = t.bb\nb = t.b + t.a\n", linter.Options{Unknown: true}, "f:2:9: error: illegal operator for non-counter and counter\n"},
		{"optional", "# pmderive: optional\na = t.bb\nb = t.bb\n", linter.Options{}, "f:3:5: error: unknown metric t.bb\n"},
		{"not optional", "# pmderive: optional\n\na = t.bb\n", linter.Options{}, "f:3:5: error: unknown metric t.bb\n"},
		{"ignored for one", "# pmderive: ignore no-help, counter\na = t.b\nb = t.c\n", noHelp, "f:3:1: warning: b has no help text [no-help]\n"},
		{"ignored for all", "# pmderive: ignore-file no-help\na = t.b\nb = t.c\n", noHelp, ""},
		{"continued line", "a = t.b * \\\n  rate(t.s)\n", nonCounter, "f:2:3: warning: rate() of a metric that is not a counter: t.s is instant [non-counter]\n"},
		{"inner ones are reported once", "a = rate(t.s)\nb = a * 2\n", linter.Options{Expand: true, Rules: nonCounter.Rules}, "f:1:5: warning: rate() of a metric that is not a counter: t.s is instant [non-counter]\n"},
		{"remarks", "# pmderive: ignore no-hepl\n# pmderive: please\n# pmderive: optional x\na = t.b\n", linter.Options{},
			"f:1:1: warning: there is no rule no-hepl\nf:2:1: warning: there are: pmderive: ignore RULE, pmderive: ignore-file RULE, and pmderive: optional\n" +
				"f:3:1: warning: there are: pmderive: ignore RULE, pmderive: ignore-file RULE, and pmderive: optional\n"},
		{"no newline", "a = 1", linter.Options{}, "f:1:1: warning: PCP ignores a last line without a newline [ignored]\n"},
		{"a backslash before CR LF", "a = 1 \\\n + \\\r\n", syntax, "f:2:4: error: a backslash continues a line that ends in LF, not one that ends in CR LF\n" +
			"f:2:4: error: illegal character\n"},
		{"comment with a backslash", "# x \\\na = 1\n", syntax, "f:1:5: warning: PCP takes the next line for a part of this comment [ignored]\n"},
		{"no sign", "a\n", syntax, "f:1:1: error: missing ``='' after derived metric name\n"},
		{"help", "a(oneline) = x\nb = 1\nb(one) = x\nb(oneline) = x\nb(oneline) = y\nb(helptext) = \"x\" y\n", syntax,
			"f:1:1: error: a is not defined before its oneline\nf:3:1: error: there is no attribute one; there are oneline and helptext\n" +
				"f:5:1: error: b has its oneline already\nf:6:1: warning: extra text (y) after attribute value will be ignored [ignored]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lint(t, s, tt.text, tt.opt); got != tt.want {
				t.Errorf("%q:\n%swant\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	s := newSession(t, "ta")
	list, err := s.Lint(context.Background(), []linter.File{{Name: "f", Text: []byte("a = t.b \\\n\t+ t.bb\n")}}, linter.Options{})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got, want := repl.FindingText(&list[0]), "f:2:4: error: unknown metric t.bb\n  \t+ t.bb\n  \t  ^\n  did you mean t.b?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLintFiles covers definitions in one file that another uses.
func TestLintFiles(t *testing.T) {
	s := newSession(t, "ta")
	list, err := s.Lint(context.Background(), []linter.File{{Name: "b", Text: []byte("b = a + 1\nb = x\n")}, {Name: "a", Text: []byte("a = t.b\nb = 1\n")}},
		linter.Options{Expand: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		got = append(got, list[i].String())
	}
	if want := "b:2:1: error: b is defined already|a:2:1: error: b is defined already"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// BenchmarkLint checks 10,000 definitions, which must take less than a second.
func BenchmarkLint(b *testing.B) {
	s := newSession(b, "ta")
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "# number %d\nx.m%d = rate(t.a) * %d + rescale(delta(t.a), \"count x 10^2\") / mkconst(%d, units=\"sec\")\nx.m%d(oneline) = text\n",
			i, i, i, i+1, i)
	}
	if found := lint(b, s, text.String(), linter.Options{}); found != "" {
		b.Fatal(found[:min(len(found), 200)])
	}
	for b.Loop() {
		lint(b, s, text.String(), linter.Options{})
	}
}

// TestLintLarge covers expressions as large as they may be, of which rules look at each part.
func TestLintLarge(t *testing.T) {
	s := newSession(t, "ta")
	all := linter.Options{Rules: linter.Rules()}
	for _, tt := range []struct{ name, text, want string }{
		{"a row", "a = " + strings.Repeat("t.s > 0 && ", 8000) + "t.s > 1\n", "no-help"},
		{"a sum", "a = " + strings.Repeat("t.b + ", 10_000) + "t.b\n", "no-help"},
		{"choices", "a = " + strings.Repeat("(t.s ? ", 2000) + "t.s" + strings.Repeat(" : t.d)", 2000) + "\n", "no-help"},
	} {
		if got := lint(t, s, tt.text, all); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %.300s", tt.name, got)
		}
	}
}

// TestLintProposals checks a file for another source: names are not proposed for each unknown one.
func TestLintProposals(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "x%d = t.bb\n", i)
	}
	list, err := newSession(t, "ta").Lint(context.Background(), []linter.File{{Name: "f", Text: []byte(b.String())}}, linter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	proposed := 0
	for _, d := range list {
		if len(d.Fixes) > 0 {
			proposed++
		}
	}
	if len(list) != 60 || proposed != 50 {
		t.Errorf("%d findings, %d with proposals", len(list), proposed)
	}
}

// TestLintBounds: a file of tiny mistakes or definitions is read up to a bound, which is a mistake too.
func TestLintBounds(t *testing.T) {
	s := repl.New(&repl.Options{})
	defer s.Close()
	for _, tt := range []struct {
		text, want string
		most       int
	}{
		{strings.Repeat("(\n", 1_000_000), "f:10002:1: error: more than 10000 mistakes: the rest is not read", 10_002},
		{strings.Repeat("a.b = 1\n", 1_000_000), "f:10003:1: error: more than 10000 mistakes: the rest is not read", 10_002},
	} {
		found, err := s.Lint(t.Context(), []linter.File{{Name: "f", Text: []byte(tt.text)}}, linter.Options{Syntax: true})
		if err != nil || len(found) != tt.most {
			t.Fatalf("%.8q: %d findings, %v", tt.text, len(found), err)
		}
		if last := found[len(found)-1].String(); last != tt.want {
			t.Errorf("%.8q: %s, want %s", tt.text, last, tt.want)
		}
	}
	var b strings.Builder
	for i := range 100_002 {
		fmt.Fprintf(&b, "a%d=1\n", i)
	}
	found, err := s.Lint(t.Context(), []linter.File{{Name: "f", Text: []byte(b.String())}}, linter.Options{Syntax: true, Rules: []*linter.Rule{}})
	if got := fmt.Sprintf("%d %v %v", len(found), &found[0], err); got != "1 f:100001:1: error: more than 100000 definitions: the rest is not read <nil>" {
		t.Errorf("got %s", got)
	}
}
