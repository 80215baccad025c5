package repl_test

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/repl"
)

func TestSpot(t *testing.T) {
	for _, tt := range []struct {
		text, calls, open string
		from              int
	}{
		{"", "", "", 0}, {"a + b", "", "", 0}, {"sum(", "sum", "", 0}, {"sum(a) + (", "|", "", 0}, {"rate((a", "rate|", "", 0},
		{`rescale(a, "K`, "rescale", `"`, 12}, {`rescale(a, "K")`, "", "", 0}, {"a[b", "", "[", 2}, {`a[b\]`, "", "[", 2}, {"a[b] + c[", "", "[", 9},
		{"matchinst(/x", "matchinst", "/", 11}, {"matchinst(!/x", "matchinst", "/", 12}, {"matchinst(/x(/, a", "matchinst", "", 0}, {"a / b", "", "", 0},
		{"a / b[", "", "[", 6}, {")))", "", "", 0}, {`"(" + (`, "|", "", 0},
	} {
		calls, open, from := repl.Spot(tt.text)
		got := strings.Join(calls, "|")
		if len(calls) == 1 && calls[0] == "" {
			got = "|"
		}
		if got != tt.calls || open != tt.open || from != tt.from {
			t.Errorf("%q: %q %q %d", tt.text, got, open, from)
		}
	}
}

func TestDepth(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "t.s")
	for _, tt := range []struct {
		text string
		want int
	}{
		{"t.b", 0}, {"t.a", 0}, {"rate(t.a)", 1}, {"delta(t.a) + delta(t.s)", 1}, {"delta(delta(t.s))", 2}, {"delta(t.s + delta(t.s - delta(t.d)))", 3},
		{"instant(t.a)", 1}, {"instant(t.s)", 0}, {"delta(t.s) + delta(delta(t.s)) + t.s", 2}, {"t.b +", -1},
	} {
		if got := repl.Depth(s, tt.text); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.text, got, tt.want)
		}
	}
}
