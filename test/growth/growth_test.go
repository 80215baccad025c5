// Package growth measures what users do at growing sizes, and fits the exponent with which the cost
// grows: 1 is linear. The benchmarks of each package are about one size; this is about what becomes
// of a host with ten times as many metrics.
package growth

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"
	"time"
)

// An operation is what is measured: it is made for a size, with everything that it needs, and then
// repeated.
type operation struct {
	name  string
	of    string // what there are so many of
	sizes []int
	make  func(t *testing.T, n int) func()
}

// steps are the sizes of most operations.
var steps = []int{100, 1000, 10000}

// operations returns all that is measured.
func operations() []operation {
	return append(append(archiveOperations(), liveOperations()...), definitionOperations()...)
}

// limit is the largest exponent that is accepted. Sorting and searching are n log n, which looks like
// 1.1 here; caches that become too small add something. Quadratic is 2.
const limit = 1.3

// TestGrowth does everything once at the smallest size. With PMTOOLS_GROWTH=1 it measures, prints the
// table and fails if a cost grows too fast.
func TestGrowth(t *testing.T) {
	measured := os.Getenv("PMTOOLS_GROWTH") != ""
	if measured {
		t.Logf("%-40s %-12s %s", "operation", "of", "microseconds at each size, exponent")
	}
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			if !measured {
				op.make(t, op.sizes[0])()
				return
			}
			line, e := op.measure(t)
			t.Logf("%-40s %-12s %s", op.name, op.of, line)
			if e > limit {
				t.Errorf("the cost grows with the power %.2f of the size, at most %.2f is wanted", e, limit)
			}
		})
	}
}

// measure returns the cost at each size as text, and the exponent over the upper half of them.
func (op *operation) measure(t *testing.T) (line string, exponent float64) {
	var xs, ys []float64
	for _, n := range op.sizes {
		c := cost(op.make(t, n))
		line += fmt.Sprintf("%8d:%-10.4g", n, c*1e6)
		xs, ys = append(xs, math.Log(float64(n))), append(ys, math.Log(c))
	}
	from := len(xs) - max(2, (len(xs)+1)/2)
	e := slope(xs[from:], ys[from:])
	return line + fmt.Sprintf("  %.2f", e), e
}

// slope returns that of the line that fits points best.
func slope(xs, ys []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i, x := range xs {
		sx, sy, sxx, sxy = sx+x, sy+ys[i], sxx+x*x, sxy+x*ys[i]
	}
	n := float64(len(xs))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// How often and how long an operation is measured; the best time counts.
const (
	tries = 3
	least = 10 * time.Millisecond
)

// cost returns the seconds of processor time that one call of f takes, in all threads: collecting
// garbage is part of it.
func cost(f func()) float64 {
	f()
	best := math.Inf(1)
	for range tries {
		runtime.GC()
		n, began := 0, processorTime()
		for n == 0 || processorTime()-began < least {
			f()
			n++
		}
		best = min(best, (processorTime()-began).Seconds()/float64(n))
	}
	return best
}
