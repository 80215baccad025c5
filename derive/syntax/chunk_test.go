package syntax_test

import (
	"strings"
	"testing"

	"pmtools/derive/syntax"
	_ "pmtools/test/env"
)

func TestChunks(t *testing.T) {
	src := "# c\n\na = b \\\n + c\na(helptext) = \"x\ny\"\nbad\nlast = 1"
	var lines []int
	var all strings.Builder
	for _, c := range syntax.Chunks("f", []byte(src)) {
		lines = append(lines, c.Line)
		all.WriteString(c.Raw)
		if got, want := c.Comment(), c.Line == 1; got != want {
			t.Errorf("line %d: Comment is %v", c.Line, got)
		}
		if d := c.Definition(); (d != nil) != (c.Line == 3 || c.Line == 8) {
			t.Errorf("line %d: Definition is %v", c.Line, d)
		}
	}
	if all.String() != src {
		t.Errorf("the chunks are %q", all.String())
	}
	want := []int{1, 2, 3, 5, 7, 8}
	if len(lines) != len(want) {
		t.Fatalf("chunks begin in lines %v", lines)
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("chunk %d begins in line %d, not %d", i, lines[i], want[i])
		}
	}
}

func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		src          string
		off          int // into what follows the sign
		line, column int
	}{
		{"a = b\n", 1, 1, 5},
		{"a = b\n", 0, 1, 4},
		{"a = b \\\n  + c\n", 3, 2, 1},
		{"a = b \\\n  + c\n", 5, 2, 3},
		{"a = b \\\n\\\n\\\n+ c\n", 3, 4, 1},
		{"a \\\n= b\n", 1, 2, 3},
		{"a = b", 2, 1, 6},
		{"a = b\n", 99, 1, 6},
	} {
		c := syntax.Chunks("f", []byte(tt.src))[0]
		if line, column := c.Place(tt.off); line != tt.line || column != tt.column {
			t.Errorf("%q byte %d is at %d:%d, want %d:%d", tt.src, tt.off, line, column, tt.line, tt.column)
		}
	}
}
