package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// TestLexemes covers the tokens that the parser reads before it is done or fails.
func TestLexemes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `EOS ""`},
		{"  ", `EOS ""`},
		{"a.b + 1", `NAME "a.b" PLUS "+" INTEGER "1" EOS ""`},
		{"-1.5 <= 2", `MINUS "-" DOUBLE "1.5" LEQ "<=" INTEGER "2" EOS ""`},
		{"sum(a)", `SUM "sum" LPAREN "(" NAME "a" RPAREN ")" EOS ""`},
		{`matchinst(!/a\/b/, c / d)`, `FILTERINST "matchinst" LPAREN "(" NOT "!" PATTERN "a/b" COMMA "," NAME "c" SLASH "/" NAME "d" RPAREN ")" EOS ""`},
		{`a[d\]e]`, `NAME "a" INSTNAME "d]e" EOS ""`},
		{`g ? a : novalue(units="Kbyte / sec")`, `NAME "g" QUEST "?" NAME "a" COLON ":" NOVALUE "novalue" LPAREN "(" UNITS "units" ASSIGN "=" STRING "Kbyte / sec" RPAREN ")" EOS ""`},
		{"a.b @ 3", `NAME "a.b" ERROR "@"`},
		{"a&b", `NAME "a" ERROR "&"`},
		{`"abc`, `ERROR "abc"`},
		{"a[b", `NAME "a" ERROR "b"`},
		{"matchinst(/a", `FILTERINST "matchinst" LPAREN "(" ERROR "a"`},
		{"4294967296 + 1", `ERROR "4294967296"`},
		{"1 +", `INTEGER "1" PLUS "+" EOS ""`},
		{"(1 +)", `LPAREN "(" INTEGER "1" PLUS "+" RPAREN ")"`},
		{"a,b +", `NAME "a" COMMA ","`},
		{"1)", `INTEGER "1" RPAREN ")" EOS ""`},
		{"1 (", `INTEGER "1" LPAREN "(" EOS ""`},
		{"+ 1", `PLUS "+" INTEGER "1"`},
		{"avg (a)", `NAME "avg" LPAREN "(" NAME "a"`},
		{"(1 c)", `LPAREN "(" INTEGER "1" NAME "c"`},
		{"/x/", `SLASH "/" NAME "x"`},
		{"1e5", `INTEGER "1" NAME "e5"`},
		{"novalue()", `NOVALUE "novalue"`},
		{"mkconst(1,type=foo) + 1", `MKCONST "mkconst" LPAREN "(" INTEGER "1" COMMA "," TYPE "type" ASSIGN "=" NAME "foo"`},
		{strings.Repeat("a", MaxLen+1), ""},
	}
	var c Config
	for _, tt := range tests {
		var got []string
		for _, l := range c.Lexemes(tt.text) {
			got = append(got, fmt.Sprintf("%v %q", l.Tok, l.Text))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%.40q: %s\nwant %s", tt.text, s, tt.want)
		}
	}
}

// FuzzLexemes checks that the tokens of any text lie in it, in their order, and end in EOS if it
// can be parsed.
func FuzzLexemes(f *testing.F) {
	for _, s := range []string{"a + 1", "matchinst(!/a/,b/c)", "a[", "1 ? 2 : novalue()", "(1 +)", "4294967296", "a@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		var c Config
		list := c.Lexemes(text)
		if len(list) == 0 {
			t.Fatal("no tokens")
		}
		last := Pos(-1)
		for i, l := range list {
			if l.Pos < last || int(l.Pos) >= max(len(text), 1) || l.Pos == last && i < len(list)-1 {
				t.Errorf("token %d at %d after %d", i, l.Pos, last)
			}
			last = l.Pos
		}
		if _, err := c.Parse(text); err == nil && list[len(list)-1].Tok != EOS {
			t.Errorf("ends in %v", list[len(list)-1].Tok)
		}
	})
}
