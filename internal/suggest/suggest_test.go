package suggest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "pmtools/test/env"
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
		if got := new(meter).distance(tt.a, tt.b, 9); got != tt.want {
			t.Errorf("%q %q: %d", tt.a, tt.b, got)
		}
		if got := new(meter).distance(tt.b, tt.a, 9); got != tt.want {
			t.Errorf("%q %q: %d", tt.b, tt.a, got)
		}
	}
	if got := new(meter).distance("abcdefgh", "zyxwvuts", 2); got <= 2 {
		t.Errorf("beyond the limit: %d", got)
	}
}

// plain is the distance by all rows in full.
func plain(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = d[i-1][j-1] + 1
			}
			d[i][j] = min(d[i][j], d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// TestDistanceShort compares the distances with those that leave nothing out.
func TestDistanceShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	var m meter
	for range 20000 {
		a, b, limit := text(), text(), r.IntN(9)
		got, want := m.distance(a, b, limit), plain(a, b)
		if want <= limit && got != want || want > limit && got <= limit {
			t.Fatalf("%q %q: %d, want %d, limit %d", a, b, got, want, limit)
		}
	}
}

// TestNamesBounds asks for names as long and as many as a file may have, which would take minutes if
// each were compared with each in full.
func TestNamesBounds(t *testing.T) {
	began := time.Now()
	long := strings.Repeat("abcdefghij", 40_000)
	if got := Names(long, []string{long + "k", "x." + long}); got != nil {
		t.Errorf("%d names for one of %d bytes", len(got), len(long))
	}
	if got := Names("disk", []string{strings.Repeat("x", 400_000) + ".disk", strings.Repeat("disk", 100_000)}); len(got) != 1 {
		t.Errorf("%d long names that end in a short one, want 1", len(got))
	}
	unlike := make([]string, 100_000)
	for i := range unlike {
		unlike[i] = strings.Repeat("ab", maxName/2-10) + strconv.Itoa(i)
	}
	if got := Names(strings.Repeat("ba", maxName/2), append(unlike, "x."+strings.Repeat("ba", maxName/2))); len(got) == 0 {
		t.Error("no name, want at least that which ends in the unknown one")
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestSteps checks that what is compared is counted.
func TestSteps(t *testing.T) {
	m := meter{steps: 1000}
	m.distance("abcdefgh", "zyxwvuts", 8)
	if m.steps != 1000-8*8 {
		t.Errorf("%d steps are left of 1000, want %d", m.steps, 1000-8*8)
	}
}
