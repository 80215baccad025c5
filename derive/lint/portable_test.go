package lint_test

import (
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

// TestPlaces: the place of an error is that in the file, not in its canonical form.
func TestPlaces(t *testing.T) {
	for _, text := range []string{
		"a = m.x\nd = topn(2, m.x)\n", "# a\na = 1 + \\\n 2\n\n\n\nb = m.x\nd = topn(2, m.x)\n", "d = m.x\nb = m.x\nd = m.x\n  d(oneline) = x\na = topn(1, m.x)\n",
	} {
		src := syntax.Mark + "\n" + text
		_, errs := lint.Portable("f", []byte(src), derive.NewSet())
		want := 1 + strings.Count(src[:strings.Index(src, " = topn")], "\n")
		if len(errs) != 1 || errs[0].Line != want {
			t.Errorf("%q: %v, want one in line %d", src, errs, want)
		}
	}
}

// TestPortable covers what is written for PCP, and what is refused.
func TestPortable(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{ // want is the expression, or a part of the message
		{"sum(a)", "sum(a)"},
		{"rate((a)) + sum((a))", "rate((a)) + sum(a)"},
		{"max(instant(a)) * 2", "!cannot evaluate max(instant(a)): max() takes the name"},
		{"count(-(a * 2) > 5)", "!cannot evaluate count(-(a * 2) > 5)"},
		{"1 + count(inner) + sum(inner)", "1 + count(m.x) + sum(m.x)"},
		{"inner + 1", "(m.x) + 1"},
		{"sum(rate(a))", "!cannot evaluate sum(rate(a)): sum() takes the name of a metric there"},
		{"1 + max(a / b)", "!cannot evaluate max(a / b): max() takes the name"},
		{"count(a + b)", "!cannot evaluate count(a + b)"},
		{"sum(instant(a))", "!cannot evaluate sum(instant(a))"},
		{"topn(3, a)", "!it has no function topn()"},
		{"clamp(a, 0, 1)", "!it has no clamp() of several operands"},
		{"changing * 2", "!d: PCP cannot evaluate sum(rate(m.x))"},
	} {
		const others = "\ninner = m.x\n\nchanging = sum(rate(m.x))\n"
		out, errs := lint.Portable("f", []byte(syntax.Mark+"\n\nd = "+tt.expr+"\n"+others), derive.NewSet())
		var found string
		for _, err := range errs {
			if strings.Contains(err.Msg, "d: ") {
				found = "!" + err.Msg
			}
		}
		if why, refused := strings.CutPrefix(tt.want, "!"); refused {
			if out != nil || !strings.Contains(found, why) || errs[0].Line != 3 {
				t.Errorf("%s: %q, %v, want %s", tt.expr, out, errs, why)
			}
			continue
		}
		out, errs = lint.Portable("f", []byte(syntax.Mark+"\n\nd = "+tt.expr+"\n\ninner = m.x\n"), derive.NewSet())
		if want := "d = " + tt.want + "\n\ninner = m.x\n"; string(out) != want {
			t.Errorf("%s: %q, %v, want %q", tt.expr, out, errs, want)
			continue
		}
		for c := range syntax.Chunks("f", out) {
			if d := c.Definition(); d != nil {
				if _, err := derive.Compile(d.Name, d.Expr()); err != nil {
					t.Errorf("%s: PCP's language does not have %s", tt.expr, d.Expr())
				}
			}
		}
	}
}
