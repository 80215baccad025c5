package command

import (
	"slices"
	"testing"
)

// TestReadLine: words of lines, without anything run; lines whose words are not known.
func TestReadLine(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/h", "V": "v", "BLANK": "a b", "EMPTY": ""}[name]
		return v, ok
	}
	for _, tt := range []struct {
		shell, text string
		want        []string // nil if they are not known
	}{
		{"bash", "p a  b", []string{"p", "a", "b"}},
		{"bash", "p ", []string{"p", ""}},
		{"bash", "p '' ", []string{"p", "", ""}},
		{"bash", `p a\ b "c d"'e f'g`, []string{"p", "a b", "c def"[:3] + "e fg"}},
		{"bash", `p "a\$\b\"`, []string{"p", `a$\b"`}},
		{"bash", `p 'a\`, []string{"p", `a\`}},
		{"bash", `p a\`, []string{"p", "a"}},
		{"bash", `p ~/x "~" a~ $V ${V}w "$BLANK" '$V'`, []string{"p", "/h/x", "~", "a~", "v", "vw", "a b", "$V"}},
		{"bash", "p m[sd", []string{"p", "m[sd"}},
		{"bash", "p $BLANK", nil}, {"bash", "p $NONE", nil}, {"bash", "p $(x)", nil}, {"bash", `p "$(x)`, nil}, {"bash", "p ${V:-x}", nil},
		{"bash", "p `x", nil}, {"bash", "p \"`x", nil}, {"bash", "p;x", nil}, {"bash", "p >x", nil}, {"bash", "p a*", nil}, {"bash", "p $", nil}, {"bash", "p ~root", nil},
		{"bash", "p $'x'", nil}, {"bash", "p !x", nil}, {"bash", `p "!x`, nil}, {"bash", "p a\nb", nil}, {"bash", "p $V[1]", nil},
		{"zsh", "p =ls", nil}, {"zsh", "p a=b", []string{"p", "a=b"}},
		{"fish", `p 'a\'b\\' "\$x" \$`, []string{"p", `a'b\`, "$x", "$"}},
		{"fish", `p \x41`, nil}, {"fish", "p (x)", nil}, {"fish", "p \"`x", []string{"p", "`x"}},
	} {
		l, ok := readLine(tt.shell, tt.text, lookup)
		if ok != (tt.want != nil) || !slices.Equal(l.words, tt.want) {
			t.Errorf("%s: %q: %q, %v, want %q", tt.shell, tt.text, l.words, ok, tt.want)
		}
	}
}

// FuzzReadLine: what is typed for a text, after a line, is read as the text.
func FuzzReadLine(f *testing.F) {
	f.Add("p ", "=ls")
	for _, before := range []string{"p a", "p 'a", `p "a`, `p "a\`, `p a\`} {
		f.Add(before, `x$(y)'"!\ z`)
	}
	f.Fuzz(func(t *testing.T, before, text string) {
		none := func(string) (string, bool) { return "", false }
		l, ok := readLine("bash", before, none)
		if !ok {
			return
		}
		typed, ok := l.typed(text)
		if !ok {
			return
		}
		for _, c := range text {
			if c < ' ' {
				return
			}
		}
		got, ok := readLine("bash", before+typed, none)
		if !ok || got.last() != l.last()+text {
			t.Errorf("%q and %q: %q, %v", before, typed, got.words, ok)
		}
	})
}
