package diagnose

import (
	"strings"
	"testing"
)

func TestSnippetOfLongLines(t *testing.T) {
	long := strings.Repeat("a + ", 1000)
	for _, pos := range []int{0, 10, 2000, len(long)} {
		lines := strings.Split(snippet(long, pos, snippetContext), "\n")
		if len(lines[0]) > 900 {
			t.Errorf("a line of %d bytes", len(lines[0]))
		}
		if at := strings.IndexByte(lines[1], '^'); pos < len(long) && lines[0][at] != long[pos] {
			t.Errorf("the caret for %d is below %q", pos, lines[0][at])
		}
	}
	wide := strings.Repeat("世", 500)
	if text := snippet(wide, 900, snippetContext); strings.Contains(text, "\uFFFD") {
		t.Errorf("a character is cut: %q", text)
	}
}

// TestTextWithin: lines fit the width, and the caret stays below its place.
func TestTextWithin(t *testing.T) {
	src := strings.Repeat("one.metric + ", 20) + "other.metric" + strings.Repeat(" - third.metric", 20)
	p := &Problem{Msg: "unknown metric other.metric in an expression that is long", Src: src, Pos: strings.Index(src, "other"), Notes: []string{"a note that is longer than the terminal is wide"}}
	for _, width := range []int{40, 60, 100} {
		lines := strings.Split(strings.TrimSuffix(p.TextWithin(width), "\n"), "\n")
		caret := -1
		for i, line := range lines {
			if len(line) > width {
				t.Errorf("width %d: a line of %d: %s", width, len(line), line)
			}
			if at := strings.IndexByte(line, '^'); at >= 0 {
				caret = strings.Index(lines[i-1][at:], "other")
			}
		}
		if caret != 0 {
			t.Errorf("width %d: the caret is not below its place:\n%s", width, strings.Join(lines, "\n"))
		}
	}
}
