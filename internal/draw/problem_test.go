package draw

import (
	"strings"
	"testing"

	"pmtools/derive/diagnose"
	_ "pmtools/test/env"
)

func TestSnippetOfLongLines(t *testing.T) {
	long := strings.Repeat("a + ", 1000)
	for _, pos := range []int{0, 10, 2000, len(long)} {
		lines := snippet(long, pos, snippetContext)
		if len(lines[0]) > 900 {
			t.Errorf("a line of %d bytes", len(lines[0]))
		}
		if at := strings.IndexByte(lines[1], '^'); pos < len(long) && lines[0][at] != long[pos] {
			t.Errorf("the caret for %d is below %q", pos, lines[0][at])
		}
	}
	wide := strings.Repeat("世", 500)
	if text := snippet(wide, 900, snippetContext); strings.Contains(text[0], "\uFFFD") {
		t.Errorf("a character is cut: %q", text)
	}
}

// TestWidth: lines fit the width, and the caret stays below its place.
func TestWidth(t *testing.T) {
	src := strings.Repeat("one.metric + ", 20) + "other.metric" + strings.Repeat(" - third.metric", 20)
	p := &diagnose.Problem{Msg: "unknown metric other.metric in an expression that is long", Src: src, Pos: strings.Index(src, "other"), Notes: []string{"a note that is longer than the terminal is wide"}}
	for _, width := range []int{40, 60, 100} {
		lines := strings.Split(strings.TrimSuffix("pmderive: "+Problem(p, width, len("pmderive: ")), "\n"), "\n")
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

func TestCaret(t *testing.T) {
	tests := []struct {
		name, src string
		pos       int
		want      string
	}{
		{"plain", "a b", 2, "a b\n  ^\n"},
		{"no message", "4rat(x)", 1, "4rat(x)\n ^\n"},
		{"empty text", "", -1, "\n^\n"},
		{"tabs", "\ta\tb", 3, "\ta\tb\n\t \t^\n"},
		{"wide", "a[日本] b", 10, "a[日本] b\n        ^\n"},
		{"accent", "a[e\u0301é] b", 9, "a[e\u0301é] b\n      ^\n"},
		{"emoji", "a[\U0001f600] b", 8, "a[\U0001f600] b\n      ^\n"},
		{"second line", "a +\nb c\nd", 6, "b c\n  ^\n"},
		{"at the newline", "a +\nb", 3, "a +\n   ^\n"},
		{"bad bytes", "\xff\xfe b", 3, "\xff\xfe b\n   ^\n"},
		{"too far", "ab", 9, "ab\n  ^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := caret(tt.src, tt.pos)
			if got := lines[0] + "\n" + lines[1] + "\n"; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
