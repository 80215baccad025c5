package item_test

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/item"
)

// TestMarks writes the marks of items with a letter for each byte: a word, a function, a number, a
// text, or wrong.
func TestMarks(t *testing.T) {
	for _, tt := range [][2]string{
		{"a.b + 12", "......nn"},
		{"sum(a) > 1.5", "fff......nnn"},
		{`x = rescale(a, "Kb")`, `....fffffff....tttt.`},
		{"a[sda] ", ".ttttt."},
		{"a b", "..x"},
		{"a $ 1", "..xxx"},
		{"(a", ".."},
		{"sum(-a) by (b) + 1", "fff..............n"},
		{":watch 2sec sum(a)", "wwwwwww..........."},
		{":explain a + 1", "wwwwwwwww....n"},
		{":explain 2sec sum(a)", "wwwwwwwww.....fff..."},
		{":list", "wwwww"},
		{"# a", "..."},
		{"", ""},
	} {
		got := []byte(strings.Repeat(".", len(tt[0])))
		for _, m := range item.Marks(tt[0], func(name, arg string) string {
			if name != "explain" {
				return ""
			}
			return strings.TrimPrefix(arg, "2sec ")
		}) {
			for i := m.From; i < m.To; i++ {
				got[i] = "wfntx"[m.Of]
			}
		}
		want := tt[1]
		if string(got) != want {
			t.Errorf("%q: got %s, want %s", tt[0], got, want)
		}
	}
}
