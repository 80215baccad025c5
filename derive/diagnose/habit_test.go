package diagnose

import (
	"testing"

	"pmtools/derive/check"
)

// FuzzHabits: whatever is typed, the caret is in the text, and what is proposed is an expression.
func FuzzHabits(f *testing.F) {
	for _, text := range []string{
		"sum(rate(a[5m]))", `a{b=~"c.*"} and not d`, "select a as b, c from d where e", "topk(5, f) % 3", "count by (x) (y)",
		"max(a, b) ** 2", "$1 <> 1e300", "matchinst(/)/, a)[b] = c", "if(a, b)", "a between 1 and", ")(", "[", "{}", `x['"]`, "for 5", "abs()",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := syntaxOf(text)
		if p == nil {
			return
		}
		if p.Pos < 0 || p.Pos > len(text) {
			t.Fatalf("%q: the caret is at %d", text, p.Pos)
		}
		for _, fix := range p.Fixes {
			if fix.Title == "write "+fix.Text && (!parses(check.PCP, fix.Text) || fix.Start < 0 || int(fix.End) > len(text)) {
				t.Errorf("%q: the fix %+v is not an expression", text, fix)
			}
		}
	})
}

// TestHabitFix: a proposal is a change of the text, for editors.
func TestHabitFix(t *testing.T) {
	p := syntaxOf("sum(rate(a))")
	if len(p.Fixes) != 1 || p.Fixes[0].Text != "rate(sum(a))" || int(p.Fixes[0].End) != len(p.Src) {
		t.Errorf("the fixes are %+v", p.Fixes)
	}
	if p := syntaxOf("a as b"); len(p.Fixes) != 0 {
		t.Errorf("a definition takes the place of an expression: %+v", p.Fixes)
	}
}

// TestGlobPattern covers patterns of the shell as regular expressions.
func TestGlobPattern(t *testing.T) {
	for glob, want := range map[string]string{
		"sd*": "^sd", "*da": "da$", "*d*": "d", "s?a": "^s.a$", "*": "^", "a.b*": "^a[.]b", "/dev/*": `^\/dev\/`, "a(b)*": "^a[(]b[)]", "a^*": `^a\\^`,
	} {
		if got := globPattern(glob); got != want {
			t.Errorf("%s: got %s, want %s", glob, got, want)
		}
	}
}
