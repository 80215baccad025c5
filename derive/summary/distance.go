package summary

import (
	"math"
	"slices"
)

// spreadPoints is how many numbers stand for those of a Sketch that does not keep all of them.
const spreadPoints = 128

// spread returns numbers in ascending order that are distributed as those of the Sketch: these
// themselves, or spreadPoints of them, which are middles of buckets.
func (s *Sketch) spread() []float64 {
	if s.frozen != nil {
		return s.points
	}
	if s.n <= exactNumbers {
		return slices.Clone(s.exact())
	}
	s.flush()
	points := make([]float64, 0, spreadPoints)
	seen := uint64(0)
	take := func(x float64, n uint64) {
		seen += n
		for len(points) < spreadPoints && float64(seen)*spreadPoints >= (float64(len(points))+0.5)*float64(s.n) {
			points = append(points, x)
		}
	}
	for i := range slices.Backward(s.below.counts) {
		take(-s.middle(s.below.low+i), s.below.at(i))
	}
	take(0, s.zeros)
	for i := range s.above.counts {
		take(s.middle(s.above.low+i), s.above.at(i))
	}
	return points
}

// distance returns the Kolmogorov-Smirnov statistic of two Sketches: the largest difference between the
// parts of their numbers that some number is not less than. Numbers of the same bucket are taken to be
// equal.
func distance(a, b *Sketch) float64 {
	x, y := a.spread(), b.spread()
	shift := uint(0)
	for _, s := range []*Sketch{a, b} {
		if s.n > exactNumbers {
			shift = max(shift, s.shift())
		}
	}
	key := func(x float64) int64 { // in the order of numbers
		n := int64(math.Float64bits(math.Abs(x)) >> shift)
		if x < 0 {
			return -n
		}
		return n
	}
	most := 0.0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		at := min(key(x[i]), key(y[j]))
		for i < len(x) && key(x[i]) == at {
			i++
		}
		for j < len(y) && key(y[j]) == at {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(x))-float64(j)/float64(len(y))))
	}
	return most
}
