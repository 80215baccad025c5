package main

import (
	"strings"
	"testing"

	"pmtools/derive/repl"
)

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		name string
		t    repl.Table
		want string
	}{
		{"nothing", repl.Table{}, ""},
		{"one column", repl.Table{Rows: [][]string{{"a"}, {"bb"}}}, "a\nbb\n"},
		{"header", repl.Table{Header: []string{"name", "n"}, Rows: [][]string{{"a", "100"}, {"long one", "2"}}, Right: []bool{false, true}},
			"name        n\na         100\nlong one    2\n"},
		{"left", repl.Table{Rows: [][]string{{"a", "100", "x"}, {"bbb", "2", "y"}}}, "a    100  x\nbbb  2    y\n"},
		{"short rows", repl.Table{Rows: [][]string{{"a", "b"}, {"c"}, {"d", "e", "f"}}}, "a  b\nc\nd  e  f\n"},
		{"wide characters", repl.Table{Rows: [][]string{{"世界", "1"}, {"abc", "2"}}}, "世界  1\nabc   2\n"},
		{"controls", repl.Table{Rows: [][]string{{"a\nb", "c\td"}}}, "a b  c d\n"},
		{"no wrapping", repl.Table{Rows: [][]string{{strings.Repeat("word ", 20) + "end", "x"}}}, strings.Repeat("word ", 20) + "end  x\n"},
		{"empty cells", repl.Table{Rows: [][]string{{"", "x"}, {"a", ""}}}, "   x\na\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := drawTable(&b, tt.t.Header, tt.t.Rows, tt.t.Right); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%q, want\n%q", b.String(), tt.want)
			}
		})
	}
}
