package summary

import (
	"math"
	"slices"
)

// A spread is numbers in ascending order that are distributed as those of a sketch.
type spread struct {
	points   []float64
	rounded  bool    // they are middles of buckets
	variance float64 // of all numbers
}

// spreadPoints is how many numbers stand for those of a sketch that does not keep all of them.
const spreadPoints = 128

// spread returns the numbers of the sketch, or spreadPoints of them, which are middles of buckets.
func (s *sketch) spread() spread {
	if s.n <= exactNumbers {
		var points []float64
		for x, n := range s.numbers() {
			points = append(points, slices.Repeat([]float64{x}, int(n))...)
		}
		return spread{points: points}
	}
	var parts [spreadPoints]float64
	for i := range parts {
		parts[i] = (float64(i) + 0.5) / spreadPoints
	}
	return spread{points: s.quantiles(parts[:]...), rounded: true}
}

// distance returns the Kolmogorov-Smirnov statistic: the largest difference between the parts of the numbers
// that some number is not less than. Numbers of the same bucket are taken to be equal.
func distance(a, b spread) float64 {
	x, y := a.points, b.points
	key := func(x float64) int64 { // in the order of numbers
		n := int64(math.Float64bits(math.Abs(x)))
		if a.rounded || b.rounded {
			n >>= shift
		}
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
