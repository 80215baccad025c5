package summary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDistance compares the statistic of sketches with that of all numbers.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	normal := func(mean, deviation float64) func() float64 {
		return func() float64 { return mean + deviation*r.NormFloat64() }
	}
	for name, next := range map[string][2]func() float64{
		"same":         {normal(0, 1), normal(0, 1)},
		"other mean":   {normal(100, 5), normal(103, 5)},
		"other spread": {normal(-50, 5), normal(-50, 15)},
		"apart":        {normal(0, 1), normal(1000, 1)},
		"often zero":   {func() float64 { return max(0, r.NormFloat64()) }, func() float64 { return max(0, r.NormFloat64()-1) }},
		"heavy tail":   {func() float64 { return math.Exp(10 * r.NormFloat64()) }, func() float64 { return math.Exp(10*r.NormFloat64() + 3) }},
	} {
		for _, n := range [][2]int{{30, 40}, {50, 1000}, {1000, 50}, {900, 1100}} {
			var s [2]sketch
			var all [2][]float64
			for k := range s {
				for range n[k] {
					x := next[k]()
					s[k].add(x)
					all[k] = append(all[k], x)
				}
			}
			want := 0.0
			for _, x := range slices.Concat(all[0], all[1]) {
				var part [2]float64
				for k := range part {
					for _, y := range all[k] {
						if y <= x {
							part[k] += 1 / float64(n[k])
						}
					}
				}
				want = max(want, math.Abs(part[0]-part[1]))
			}
			if got := distance(s[0].spread(), s[1].spread()); math.Abs(got-want) > 0.04 {
				t.Errorf("%s, %d numbers: %v, want %v", name, n, got, want)
			}
		}
	}
}

// TestDistanceOfRounded: numbers that are equal are so whatever buckets they are in.
func TestDistanceOfRounded(t *testing.T) {
	var few, many, wide sketch
	for i := range 10_000 {
		if i < 40 {
			few.add(5.3)
		}
		many.add(5.3)
		wide.add(5.3)
	}
	wide.add(math.Ldexp(1, 300))
	wide.add(math.Ldexp(1, -300))
	for i, pair := range [][2]*sketch{{&few, &many}, {&few, &wide}, {&many, &wide}} {
		if got := distance(pair[0].spread(), pair[1].spread()); got > 0.01 {
			t.Errorf("pair %d: %v", i, got)
		}
	}
}
