package diagnose

import (
	"strings"
	"testing"
)

func TestSnippetOfLongLines(t *testing.T) {
	long := strings.Repeat("a + ", 1000)
	for _, pos := range []int{0, 10, 2000, len(long)} {
		lines := strings.Split(snippet(long, pos), "\n")
		if len(lines[0]) > 900 {
			t.Errorf("a line of %d bytes", len(lines[0]))
		}
		if at := strings.IndexByte(lines[1], '^'); pos < len(long) && lines[0][at] != long[pos] {
			t.Errorf("the caret for %d is below %q", pos, lines[0][at])
		}
	}
	wide := strings.Repeat("世", 500)
	if text := snippet(wide, 900); strings.Contains(text, "\uFFFD") {
		t.Errorf("a character is cut: %q", text)
	}
}
