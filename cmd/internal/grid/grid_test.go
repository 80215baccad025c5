package grid

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pmtools/cmd/internal/answer"
	_ "pmtools/test/env"
)

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		name string
		t    answer.Table
		want string
	}{
		{"nothing", answer.Table{}, ""},
		{"one column", answer.Table{Rows: [][]string{{"a"}, {"bb"}}}, "a\nbb\n"},
		{"header", answer.Table{Header: []string{"name", "n"}, Rows: [][]string{{"a", "100"}, {"long one", "2"}}, Right: []bool{false, true}},
			"name        n\na         100\nlong one    2\n"},
		{"left", answer.Table{Rows: [][]string{{"a", "100", "x"}, {"bbb", "2", "y"}}}, "a    100  x\nbbb  2    y\n"},
		{"short rows", answer.Table{Rows: [][]string{{"a", "b"}, {"c"}, {"d", "e", "f"}}}, "a  b\nc\nd  e  f\n"},
		{"wide characters", answer.Table{Rows: [][]string{{"世界", "1"}, {"abc", "2"}}}, "世界  1\nabc   2\n"},
		{"controls", answer.Table{Rows: [][]string{{"a\nb", "c\td"}}}, "a b  c d\n"},
		{"no wrapping", answer.Table{Rows: [][]string{{strings.Repeat("word ", 20) + "end", "x"}}}, strings.Repeat("word ", 20) + "end  x\n"},
		{"empty cells", answer.Table{Rows: [][]string{{"", "x"}, {"a", ""}}}, "   x\na\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := Draw(t.Context(), &b, &tt.t, 0); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%q, want\n%q", b.String(), tt.want)
			}
		})
	}
}

// TestTableFits makes tables as narrow as the terminal.
func TestTableFits(t *testing.T) {
	long := strings.Repeat("word ", 9) + "end"
	for _, tt := range []struct {
		name  string
		t     answer.Table
		width int
		want  string
	}{
		{"it fits", answer.Table{Rows: [][]string{{"aaa", "bbb"}}, Drop: []int{1}}, 8, "aaa  bbb\n"},
		{"dropped", answer.Table{Header: []string{"a", "b", "c", "d"}, Rows: [][]string{{"aaa", "bbb", "ccc", "4"}}, Right: []bool{3: true}, Drop: []int{1, 2}}, 10,
			"a    d\naaa  4\n"},
		{"the last one first", answer.Table{Rows: [][]string{{"aaa", "bbb", "ccc", "dd"}}, Drop: []int{2, 0, 1}}, 9, "bbb  dd\n"},
		{"one dropped", answer.Table{Rows: [][]string{{"aaa", "bbb", "ccc"}}, Drop: []int{1, 2}}, 8, "aaa  ccc\n"},
		{"wrapped", answer.Table{Rows: [][]string{{"name", long}, {"b", "x"}}, Wrap: true}, 26,
			"name  word word word word\n      word word word word\n      word end\nb     x\n"},
		{"stacked", answer.Table{Rows: [][]string{{"a longer name", "1", long}, {"b", "", ""}, {"", "", "x"}, {"", "", ""}}, Wrap: true}, 18,
			"a longer name\n    1\n    word word word\n    word word word\n    word word word\n    end\nb\n    x\n\n"},
		{"cut", answer.Table{Rows: [][]string{{long, "100"}, {"b", "2"}}, Right: []bool{false, true}}, 26, "word word …d word end  100\nb                        2\n"},
		{"shared", answer.Table{Rows: [][]string{{long, "100", strings.Repeat("x", 20)}}}, 45, "word word… word end  100  xxxxxxxxx…xxxxxxxxx\n"},
		{"both cut", answer.Table{Rows: [][]string{{long, "100", strings.Repeat("y", 40)}}}, 40, "word wor…ord end  100  yyyyyyyy…yyyyyyyy\n"},
		{"one stuck", answer.Table{Rows: [][]string{{"a123456789012345678b", "abcdefghijklmnopqrst"}, {"a123456789x12345678b", "x"}}}, 34, "a123456789012345678b  abcdef…pqrst\na123456789x12345678b  x\n"},
		{"no narrower", answer.Table{Rows: [][]string{{"aaaaaaaaaaaa", "bbbbbbbbbbbb"}}}, 10, "aaaaaaaaaaaa  bbbbbbbbbbbb\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := Draw(t.Context(), &b, &tt.t, tt.width); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%q, want\n%q", b.String(), tt.want)
			}
		})
	}
}

// A canceler ends a context at its first write.
type canceler struct {
	cancel func()
	bytes  int
}

// Write implements io.Writer.
func (c *canceler) Write(p []byte) (int, error) {
	c.cancel()
	c.bytes += len(p)
	return len(p), nil
}

// TestTableBlocks: a table of many rows is drawn in blocks that are aligned with each other, and
// can be interrupted between them.
func TestTableBlocks(t *testing.T) {
	tab := &answer.Table{Right: []bool{false, true}}
	for range 3 * blockRows {
		tab.Rows = append(tab.Rows, []string{"a", "1"})
	}
	tab.Rows = append(tab.Rows, []string{"the longest 世界", "1000"})
	var b strings.Builder
	if err := Draw(t.Context(), &b, tab, 0); err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("a"+strings.Repeat(" ", 20)+"1\n", 3*blockRows) + "the longest 世界  1000\n"
	if b.String() != want {
		t.Errorf("got %q ..., want %q ...", b.String()[:60], want[:60])
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &canceler{cancel: cancel}
	if err := Draw(ctx, w, tab, 0); !errors.Is(err, context.Canceled) || w.bytes > len(want)/2 {
		t.Errorf("error %v after %d bytes of %d", err, w.bytes, len(want))
	}
}
