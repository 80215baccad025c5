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
			if got := caret(tt.text, tt.pos); got != tt.want {
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
