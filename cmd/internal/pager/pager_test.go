package pager

import (
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestPager: lines are broken at words unless they are for programs, and are held back unless they come as time goes by.
func TestPager(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(*Pager) error
		want string
	}{
		{"a text", func(*Pager) error { return nil }, ""},
		{"for programs", func(p *Pager) error { p.Whole(); return p.Live() }, "{\"a\": 1, \"b\": 2}\n"},
		{"live", (*Pager).Live, "{\"a\": 1,\n  \"b\": 2}\n"},
	} {
		var b strings.Builder
		p := &Pager{out: &b, width: 10, height: 24, viewer: viewer{program: "no-such-pager"}}
		if err := tt.say(p); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("{\"a\": 1, \"b\": 2}\n")); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
