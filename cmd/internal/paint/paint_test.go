package paint

import (
	"testing"

	"pmtools/cmd/internal/item"
	_ "pmtools/test/env"
)

// TestPaint: colours are added, and nothing else changes.
func TestPaint(t *testing.T) {
	if got, want := Carets("a ^ b\n  sum(x)\n  ^^  ^\n"), "a ^ b\n  sum(x)\n\x1b[31m  ^^  ^\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	line := []rune("sum(ü) + 7 $")
	if got := string((&Painter{}).Paint(line, 0)); got != string(line) {
		t.Errorf("without colours: %q", got)
	}
	p := &Painter{On: true, Marks: func(text string) []item.Mark { return item.Marks(text, func(string, string) string { return "" }) }}
	if got, want := string(p.Paint([]rune("sum(a) + 7"), 0)), "\x1b[36msum\x1b[0m(a) + \x1b[35m7\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(p.Paint(line, 0)); len(got) <= len(string(line)) {
		t.Errorf("nothing is painted: %q", got)
	}
}
