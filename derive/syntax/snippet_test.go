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
		{"plain", "a b", Error{Pos: 2, Msg: "msg"}, "a b\n  ^\nmsg\n"},
		{"no message", "4rat(x)", Error{Pos: 1, Msg: ""}, "4rat(x)\n ^\n"},
		{"empty text", "", Error{Pos: -1, Msg: "msg"}, "\n^\nmsg\n"},
		{"tabs", "\ta\tb", Error{Pos: 3, Msg: ""}, "\ta\tb\n\t \t^\n"},
		{"wide", "a[日本] b", Error{Pos: 10, Msg: ""}, "a[日本] b\n        ^\n"},
		{"accent", "a[e\u0301é] b", Error{Pos: 9, Msg: ""}, "a[e\u0301é] b\n      ^\n"},
		{"emoji", "a[\U0001f600] b", Error{Pos: 8, Msg: ""}, "a[\U0001f600] b\n      ^\n"},
		{"second line", "a +\nb c\nd", Error{Pos: 6, Msg: ""}, "b c\n  ^\n"},
		{"at the newline", "a +\nb", Error{Pos: 3, Msg: ""}, "a +\n   ^\n"},
		{"bad bytes", "\xff\xfe b", Error{Pos: 3, Msg: ""}, "\xff\xfe b\n   ^\n"},
		{"too far", "ab", Error{Pos: 9, Msg: ""}, "ab\n  ^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Snippet(tt.src, &tt.err); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
