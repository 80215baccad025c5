package growth

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pmtools/cmd/internal/deps"
	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/lint"
)

// An input is a form of expressions or of files of definitions that has n parts.
type input struct {
	name string
	deep bool // the parser limits how many of its parts may be inside each other
	text func(n int) string
}

// nested returns n times one text, a middle, and n times another text.
func nested(before, middle, after string) func(n int) string {
	return func(n int) string { return strings.Repeat(before, n) + middle + strings.Repeat(after, n) }
}

// each returns n texts that a format makes of the numbers below n.
func each(format string) func(n int) string {
	return func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
}

var expressions = []input{
	{"choices", false, nested("1?2:", "3", "")},
	{"choices of choices", true, nested("1?2:(", "3", ")")},
	{"sums", false, nested("1+", "3", "")},
	{"sums to the right", true, nested("1+(", "3", ")")},
	{"conditions", false, nested("1&&", "3", "")},
	{"negations", true, nested("-", "3", "")},
	{"nots", true, nested("!", "3", "")},
	{"parentheses", true, nested("(", "3", ")")},
	{"calls", true, nested("rate(", name(1), ")")},
	{"instances", true, nested("(", name(1), ")[x]")},
	{"patterns", true, nested("matchinst(/x/,", name(1), ")")},
	{"a name again and again", false, nested(name(1)+"+", "3", "")},
	{"names", false, func(n int) string { return each("n.x%d+")(n) + "3" }},
	{"a long name", false, nested("x", "x", "")},
}

var files = []input{
	{"empty lines", false, nested("\n", "", "")},
	{"comments", false, nested("#\n", "", "")},
	{"a long comment", false, nested("#", "\n", "")},
	{"continued lines", false, nested("a.b = 1 + \\\n", "2", "")},
	{"definitions", false, each("c.x%d = 1\n")},
	{"a definition again and again", false, nested("c.x = 1\n", "", "")},
	{"mistakes", false, nested("c.x = (\n", "", "")},
	{"lines that mean nothing", false, nested("((\n", "", "")},
	{"help texts", false, each("c.x%[1]d = 1\n@ c.x%[1]d(oneline) = text\n")},
	{"a circle", false, func(n int) string { return each("c.x%[1]d = c.x%[1]d1 + 1\n")(n) }},
}

// inputOperations are what is done with expressions and files that anybody may have written. An error is an
// answer.
func inputOperations() (list []operation) {
	add := func(verb string, in input, make func(t *testing.T, n int) func()) {
		sizes := []int{100, 1000, 9000}
		if in.deep {
			sizes = []int{100, 1000, 4000}
		}
		list = append(list, operation{verb + " " + in.name, "parts", sizes, make})
	}
	for _, in := range expressions {
		for _, item := range []string{"", ":explain ", ":sql "} {
			add("item "+item+"of", in, func(t *testing.T, n int) func() {
				s, text := session(write(t, shape{metrics: 2, records: 2})), item+in.text(n)
				t.Cleanup(func() { s.Close() })
				return func() { _ = s.Run(ctx, text, io.Discard) }
			})
		}
	}
	inFiles := slices.Clone(files)
	for _, in := range expressions {
		inFiles = append(inFiles, input{"a definition of " + in.name, in.deep, func(n int) string { return "a.b = " + in.text(n) + "\n" }})
	}
	for _, in := range inFiles {
		add("format", in, func(_ *testing.T, n int) func() {
			text := []byte(in.text(n))
			return func() { lint.Format("d.conf", text, nil) }
		})
		add("dependencies of", in, func(_ *testing.T, n int) func() {
			text := []byte(in.text(n))
			return func() {
				list, _ := deps.Parse("d.conf", text)
				deps.New(list, derive.NewSet().Find, false)
			}
		})
		add("check", in, func(t *testing.T, n int) func() {
			base, text := write(t, shape{metrics: 2, records: 2}), []byte(in.text(n))
			return func() {
				s := repl.New(&repl.Options{Sources: repl.Sources{Kind: "archive", Name: base, Open: openArchive}})
				_, _ = s.Lint(ctx, []lint.File{{Name: "d.conf", Text: text}}, lint.Options{Rules: lint.Rules(), Expand: true})
				must(s.Close())
			}
		})
	}
	return list
}
