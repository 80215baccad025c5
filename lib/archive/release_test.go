package archive_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestRelease reads an archive of some megabytes to and fro: a reader that releases pages reads the
// same bytes again.
func TestRelease(t *testing.T) {
	dir := t.TempDir()
	must(t, archivetest.BuildBig(dir, "big", 300))
	s := open(t, dir+"/big")
	var times []pcp.Timestamp
	var sums []uint64
	var r pcp.Result
	for c := s.Cursor(); ; {
		if err := c.Next(bg, &r); errors.Is(err, pmerr.EOL) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		times, sums = append(times, r.Time), append(sums, sum(&r))
	}
	if len(times) < 300 {
		t.Fatalf("%d records", len(times))
	}
	random := rand.New(rand.NewPCG(1, 2))
	c := s.Cursor()
	for range 200 {
		i, mode := random.IntN(len(times)), pcp.Forward
		if random.IntN(2) == 0 {
			mode = pcp.Back
		}
		must(t, c.SetMode(mode, &times[i], 0))
		for steps := random.IntN(20); steps >= 0 && i >= 0 && i < len(times); steps-- {
			must(t, c.Next(bg, &r))
			if r.Time != times[i] || sum(&r) != sums[i] {
				t.Fatalf("record %d is of %v, want %v, or has other values", i, r.Time, times[i])
			}
			if mode == pcp.Back {
				i--
			} else {
				i++
			}
		}
	}
}

// sum returns a number that depends on all values of a result.
func sum(r *pcp.Result) (n uint64) {
	for i := range r.Sets {
		for k, w := range r.Sets[i].Words {
			n = n*31 + w + uint64(r.Sets[i].Insts[k])
		}
	}
	return n % math.MaxUint32
}
