package lsp

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// plainPosition counts a position from the beginning of the text.
func plainPosition(text string, off int) (p position) {
	for i, r := range text {
		switch {
		case i >= off:
			return p
		case r == '\n', r == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			p = position{Line: p.Line + 1}
		default:
			p.Character += uint32(utf16.RuneLen(r))
		}
	}
	return p
}

// TestPositions compares positions in random texts with those that are counted from the beginning.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "bcdef", "ü", "€", "𝄞", "\n", "\r\n", "\r", strings.Repeat("x", 700), strings.Repeat("𝄞", 300)}
	for range 20 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		d := newDocument("u", 1, b.String())
		for off := range d.text {
			want := plainPosition(d.text, off)
			got := d.position(off)
			if got != want {
				t.Fatalf("%q: offset %d is at %v, want %v", d.text, off, got, want)
			}
			if back := d.offset(got); back != off && d.text[off] != '\n' {
				t.Fatalf("%q: %v is offset %d, want %d", d.text, got, back, off)
			}
		}
	}
}

// TestOddPositions asks for positions that no character is at.
func TestOddPositions(t *testing.T) {
	d := newDocument("u", 1, "a𝄞b\r\nü\n")
	for _, tt := range []struct {
		p    position
		want int
	}{
		{position{0, 0}, 0}, {position{0, 1}, 1}, {position{0, 2}, 1}, {position{0, 3}, 5}, {position{0, 4}, 6}, {position{0, 1 << 31}, 6},
		{position{0, 1<<32 - 1}, 6}, {position{1, 0}, 8}, {position{1, 9}, 10}, {position{2, 0}, 11}, {position{2, 5}, 11},
		{position{3, 0}, 11}, {position{1<<32 - 1, 1<<32 - 1}, 11},
	} {
		if got := d.offset(tt.p); got != tt.want {
			t.Errorf("%v is offset %d, want %d", tt.p, got, tt.want)
		}
	}
}

// TestParseEnds checks that parsing ends with the context and begins anew with the next one, and that
// there is a limit.
func TestParseEnds(t *testing.T) {
	d := newDocument("u", 1, "a = b\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.parse(ctx); !errors.Is(err, context.Canceled) || d.parts != nil {
		t.Errorf("after the end: %v", err)
	}
	if err := d.parse(context.Background()); err != nil || d.byName["a"] == nil {
		t.Errorf("anew: %v", err)
	}
	d = newDocument("u", 1, strings.Repeat("a = b\n", maxDefinitions+2))
	if err := d.parse(context.Background()); err == nil || !strings.Contains(err.Error(), "more than 100000 definitions") {
		t.Errorf("too many definitions: %v", err)
	}
}
