package textwidth

import (
	"strings"
	"testing"

	_ "pmtools/test/env"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abc..."},
		{"abcdefg", 5, "abcde"},
		{"abcdefg", 0, "abcdefg"},
		{"日本語の文", 9, "日本語..."},
		{"日本語の文", 8, "日本..."},
		{"日本語の文", 5, "日本"},
		{"日本語の文", 10, "日本語の文"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"\xff\xfe\xff", 2, "\xff\xfe"},
	} {
		if got := Cut(tt.s, tt.n); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func TestFew(t *testing.T) {
	for want, list := range map[string][]string{"": nil, "a": {"a"}, "a, b": {"a", "b"}, "a, b and 1 more": {"a", "b", "c"}} {
		if got := Few(list, 2); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"disk.dev.await", 14, "disk.dev.await"},
		{"disk.dev.await", 10, "disk.…wait"},
		{"disk.dev.await", 9, "disk…wait"},
		{"disk.dev.await", 1, "…"},
		{"disk.dev.await", 2, "d…"},
		{"disk.dev.await", 0, "disk.dev.await"},
		{"日本語の文字列", 9, "日本…字列"},
		{"日本語の文字列", 8, "日本…列"},
		{"\xff\xfe\xff\xfe", 3, "\xff…\xfe"},
	} {
		if got := Middle(tt.s, tt.n); got != tt.want {
			t.Errorf("Middle(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

// TestDistinct: names that differ differ when they have been cut, at any width.
func TestDistinct(t *testing.T) {
	names := []string{"mem.util.free", "mem.util.bufmem", "mem.util.used", "mem.util.used", "a long one that differs in the 1st middle only", "a long one that differs in the 2nd middle only", "x", ""}
	for n := range 50 {
		cut := Distinct(names, n)
		for i, a := range cut {
			for j, b := range cut[:i] {
				if (a == b) != (names[i] == names[j]) {
					t.Errorf("%d columns: %q and %q are %q and %q", n, names[i], names[j], a, b)
				}
			}
		}
	}
	if got := strings.Join(Distinct([]string{"disk.dev.await", "disk.dev.util"}, 9), " "); got != "disk…wait disk…util" {
		t.Error(got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"a short text", 12, "a short text"},
		{"a short text", 11, "a short|text"},
		{"a short text", 3, "a|short|text"},
		{"  indented text", 10, "  indented|text"},
		{"日本 語の文 x", 9, "日本|語の文 x"},
		{"a b", 0, "a b"},
		{"", 5, ""},
	} {
		if got := strings.Join(Wrap(tt.s, tt.n), "|"); got != tt.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func TestPad(t *testing.T) {
	for _, tt := range []struct {
		s     string
		n     int
		right bool
		want  string
	}{
		{"ab", 4, false, "ab  "}, {"ab", 4, true, "  ab"}, {"abcde", 4, true, "abcde"}, {"日", 4, true, "  日"}, {"", 2, false, "  "},
	} {
		if got := Pad(tt.s, tt.n, tt.right); got != tt.want {
			t.Errorf("Pad(%q, %d, %v) = %q, want %q", tt.s, tt.n, tt.right, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	if got := Clean("a\nb\x1b[31m\x7f\tc"); got != "a b [31m  c" {
		t.Errorf("%q", got)
	}
}
