package linux

import (
	"math/rand"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// TestDamage asks for everything over damaged files. Metrics that need a value are errors.
func TestDamage(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	garbage := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdefCPU:()[] -\n\t\x00\x1b\xff"[random.Intn(31)]
		}
		return b
	}
	for _, c := range []struct {
		name     string
		change   func([]byte) []byte
		min, max int // number of values
	}{
		{"nothing", func(b []byte) []byte { return b }, 2000, 10000},
		{"empty", func([]byte) []byte { return nil }, 20, 800},
		{"only lines", func(b []byte) []byte { return []byte(strings.Repeat("\n", 1+len(b)/50)) }, 20, 2500},
		{"first half", func(b []byte) []byte { return b[:len(b)/2] }, 500, 10000},
		{"second half", func(b []byte) []byte { return b[len(b)/2:] }, 300, 10000},
		{"twice", func(b []byte) []byte { return append(b, b...) }, 2000, 20000},
		{"garbage", func(b []byte) []byte { return garbage(len(b) + 10) }, 20, 100000},
		{"no digits", func(b []byte) []byte {
			return []byte(strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return 'x'
				}
				return r
			}, string(b)))
		}, 20, 5000},
		{"only nines", func(b []byte) []byte {
			return []byte(strings.Map(func(r rune) rune {
				if r >= '0' && r <= '8' {
					return '9'
				}
				return r
			}, string(b)))
		}, 500, 20000},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := procfstest.Damaged(t, c.change)
			total := 0
			for _, p := range []*pmda.Agent{newCollector(procfstest.Options(dir)).agent(), proc.New(&proc.Options{Root: dir})} {
				values, failed := procfstest.FetchAll(t, p)
				again, _ := procfstest.FetchAll(t, p)
				if values != again {
					t.Errorf("%d values, then %d", values, again)
				}
				total += values
				for name, err := range failed {
					if err != pmerr.AppVersion && err != pmerr.Value {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			if total < c.min || total > c.max {
				t.Errorf("%d values, expected %d to %d", total, c.min, c.max)
			}
		})
	}
}

// TestLarge feeds large files to all parsers: none may take more than the time that is in
// proportion.
func TestLarge(t *testing.T) {
	words := strings.Repeat("a ", 1<<20)
	for _, c := range parserTests {
		first, _, _ := strings.Cut(c.text, "\n")
		parsers[c.parser]([]byte(first + "\n" + words))
		if len(c.text) > 0 {
			parsers[c.parser]([]byte(strings.Repeat(c.text, 1+300_000/len(c.text))))
		}
	}
}
