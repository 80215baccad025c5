package answer

import (
	"slices"
	"testing"

	_ "pmtools/test/env"
)

func TestNotes(t *testing.T) {
	for _, test := range []struct{ lines, want []string }{
		{nil, nil},
		{[]string{"no name", "a.b is", "no name"}, []string{"no name", "a.b is"}},
		{[]string{"expanded a.b", "is c.d[x 1]", "expanded c.d"}, []string{"expanded a.b, c.d", "is c.d[x 1]"}},
		{[]string{"r without a.x: unknown metric b.x", "r without a.y: unknown metric b.y", "r without a.z: unknown metric b.y", "r without a.w: unknown metric b.w"},
			[]string{"r without a.x, a.y, a.z and 1 more: unknown metric b.x, b.y, b.w"}},
		{[]string{"own.conf:3: a.b; rate(a.b)", "own.conf:4: c.d; rate(c.d)"}, []string{"own.conf:3, own.conf:4: a.b, c.d; rate(a.b)"}},
		{[]string{"5.3 sec", "6.1 sec"}, []string{"5.3 sec", "6.1 sec"}},
	} {
		if got := Notes(test.lines); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.lines, got, test.want)
		}
	}
}
