package pager

import (
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestPager: lines are held back unless they come as time goes by.
func TestPager(t *testing.T) {
	for _, live := range []bool{false, true} {
		var b strings.Builder
		p := &Pager{out: &b, height: 24, viewer: viewer{program: "no-such-pager"}}
		if live {
			if err := p.Live(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Write([]byte("a\nb")); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: "a\n"}[live]; b.String() != want {
			t.Errorf("live %v: %q, want %q", live, b.String(), want)
		}
	}
}
