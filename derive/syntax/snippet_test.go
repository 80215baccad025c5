package syntax

import "testing"

// Lines recorded from the reference.
func TestCaret(t *testing.T) {
	tests := []struct {
		name, text string
		pos        Pos
		want       string
	}{
		{"joined lines", " sample.long.one +    sample.long.ten +", 38, "                                      ^"},
		{"trailing blanks", " 4rat(x) ", 2, "  ^      "},
		{"white space is kept", " a b\tc\rd\ve\fg\xc3\xa9 \x01z ", 3, "   ^\t \r \v \f       "},
		{"caret on white space", "\t1 +\t", 4, "\t   ^"},
		{"first", "1x", 0, "^ "},
		{"nowhere", "ab", -1, "  "},
		{"behind the end", "ab", 2, "  "},
		{"empty", "", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Caret(tt.text, tt.pos); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCaretOffset(t *testing.T) {
	tests := []struct {
		pos  Pos
		want string
	}{
		{0, "^"},
		{1, " ^"},
		{4, "    ^"},
		{-1, " ^"},
	}
	for _, tt := range tests {
		if got := CaretOffset(tt.pos); got != tt.want {
			t.Errorf("CaretOffset(%d) = %q, want %q", tt.pos, got, tt.want)
		}
	}
}

func TestSnippet(t *testing.T) {
	tests := []struct {
		name, src string
		err       Error
		want      string
	}{
		{"plain", "a b", Error{2, "msg"}, "a b\n  ^\nmsg\n"},
		{"no message", "4rat(x)", Error{1, ""}, "4rat(x)\n ^\n"},
		{"empty text", "", Error{-1, "msg"}, "\n^\nmsg\n"},
		{"tabs", "\ta\tb", Error{3, ""}, "\ta\tb\n\t \t^\n"},
		{"wide", "a[日本] b", Error{10, ""}, "a[日本] b\n        ^\n"},
		{"accent", "a[e\u0301é] b", Error{9, ""}, "a[e\u0301é] b\n      ^\n"},
		{"emoji", "a[\U0001f600] b", Error{8, ""}, "a[\U0001f600] b\n      ^\n"},
		{"second line", "a +\nb c\nd", Error{6, ""}, "b c\n  ^\n"},
		{"at the newline", "a +\nb", Error{3, ""}, "a +\n   ^\n"},
		{"bad bytes", "\xff\xfe b", Error{3, ""}, "\xff\xfe b\n   ^\n"},
		{"too far", "ab", Error{9, ""}, "ab\n  ^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Snippet(tt.src, &tt.err); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
