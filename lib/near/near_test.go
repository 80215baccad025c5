package near

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"kernel.all.load", "kernel.all.cpu.user", "disk.dev.read", "disk.dev.read_bytes", "disk.dev.total", "hinv.ncpu", "a", "b", "Mixed.Case"}
	for _, tt := range []struct{ name, want string }{
		{"kernel.all.laod", "kernel.all.load"},
		{"kernel.all.lod", "kernel.all.load"},
		{"kernel.all.loadd", "kernel.all.load"},
		{"disk.dev.reads", "disk.dev.read"},
		{"load", "kernel.all.load"},
		{"cpu.user", "kernel.all.cpu.user"},
		{"mixed.case", "Mixed.Case"},
		{"c", "a|b"},
		{"something.else.entirely", ""},
		{"", "a|b"},
	} {
		if got := strings.Join(Names(tt.name, known), "|"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := Names("x", nil); len(got) != 0 {
		t.Errorf("without names: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "a", 0}, {"a", "b", 1}, {"ab", "ba", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3},
	} {
		if got := distance(tt.a, tt.b, 9); got != tt.want {
			t.Errorf("%q %q: %d", tt.a, tt.b, got)
		}
		if got := distance(tt.b, tt.a, 9); got != tt.want {
			t.Errorf("%q %q: %d", tt.b, tt.a, got)
		}
	}
	if got := distance("abcdefgh", "zyxwvuts", 2); got <= 2 {
		t.Errorf("beyond the limit: %d", got)
	}
}
