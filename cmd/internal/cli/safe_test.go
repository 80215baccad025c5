package cli

import "testing"

// TestSafeTextUnpainted: no sequence passes where the command has none of its own.
func TestSafeTextUnpainted(t *testing.T) {
	const text = "\x1b[H\x1b[2J\x1b[31m"
	for passes, want := range map[uint32]string{0: "?[H?[2J?[31m", colors: "?[H?[2J\x1b[31m", redraws: "\x1b[H\x1b[2J?[31m"} {
		var s safeText
		if got := string(s.filter([]byte(text), passes)); got != want {
			t.Errorf("%d: %q, want %q", passes, got, want)
		}
	}
}

// TestSafeText has what reaches a terminal, written whole and byte by byte.
func TestSafeText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain \u00e4\u4e16\n\tx\r\n", "plain \u00e4\u4e16\n\tx\r\n"},
		{"\x1b]0;title\x07", "?]0;title?"},
		{"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
		{"\x1b[5n\x1bc\x1bP", "?[5n?c?P"},
		{"\u009b5n \x9b \xff", "?5n ? ?"},
		{"a\u202eb\u2066c\u200fd", "a?b?c?d"},
		{"\x00\x7f\b", "???"},
		{"a\rb\x1b[8mc\x1b[38;5;201md", "a?b?[8mc\x1b[38;5;201md"},
		{"\x1b[12345678901m", "?[12345678901m"},
	} {
		var s safeText
		if got := string(s.filter([]byte(tt.text), colors|redraws)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
		var b safeText
		var got []byte
		for i := range len(tt.text) {
			got = append(got, b.filter([]byte(tt.text[i:i+1]), colors|redraws)...)
		}
		if string(got) != tt.want {
			t.Errorf("%q byte by byte: %q, want %q", tt.text, got, tt.want)
		}
	}
}
