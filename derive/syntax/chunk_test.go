package syntax_test

import (
	"strings"
	"testing"
	"time"

	"pmtools/derive/syntax"
	_ "pmtools/test/env"
)

func TestChunks(t *testing.T) {
	src := "# c\n\na = b \\\n + c\na(helptext) = \"x\ny\"\nbad\nlast = 1"
	var lines []int
	var all strings.Builder
	for c := range syntax.Chunks("f", []byte(src)) {
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

// first returns the first chunk of a file.
func first(src string) syntax.Chunk {
	for c := range syntax.Chunks("f", []byte(src)) {
		return c
	}
	return syntax.Chunk{}
}

func TestPlaces(t *testing.T) {
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
		c := first(tt.src)
		if line, column, _ := c.Places().At(tt.off); line != tt.line || column != tt.column {
			t.Errorf("%q byte %d is at %d:%d, want %d:%d", tt.src, tt.off, line, column, tt.line, tt.column)
		}
	}
}

// TestPlacesOften asks for the place of each byte of many joined lines, which would take minutes if
// each question read the lines before.
func TestPlacesOften(t *testing.T) {
	c := first("a = " + strings.Repeat("x + \\\n", 160_000) + "1\n")
	places, began := c.Places(), time.Now()
	for off := 5; off < len(c.Definition().Text); off++ {
		line, column, _ := places.At(off)
		if wantLine, wantColumn := (off-1)/4+1, (off-1)%4+1; line != wantLine || column != wantColumn {
			t.Fatalf("byte %d is at %d:%d, want %d:%d", off, line, column, wantLine, wantColumn)
		}
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
