// Package growth measures what users do at growing sizes, and fits the exponent with which the cost
// grows: 1 is linear. The benchmarks of each package are about one size; this is about what becomes
// of a host with ten times as many metrics.
package growth

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	_ "pmtools/test/env"
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
	return slices.Concat(archiveOperations(), liveOperations(), definitionOperations(), commandOperations(), inputOperations())
}

// The largest exponents that are accepted. Sorting and searching are n log n, which looks like 1.1
// here. Caches that become too small, and a heap that becomes large enough to be collected, add to the
// time, and nothing to our own instructions. Quadratic is 2.
const (
	mostTime = 1.3
	mostOwn  = 1.1
	mostHeap = 1.4 // of the bytes that are allocated: slices and maps grow in steps
)

// TestGrowth does everything once at the smallest size. With PMTOOLS_GROWTH=1 it measures, prints the
// table and fails if a cost grows too fast; other values are patterns for what it measures.
func TestGrowth(t *testing.T) {
	wanted := os.Getenv("PMTOOLS_GROWTH")
	if wanted == "" {
		for _, op := range operations() {
			t.Run(op.name, func(t *testing.T) { op.make(t, op.sizes[0])() })
		}
		return
	}
	if wanted == "1" {
		wanted = ""
	}
	pattern, m := regexp.MustCompile(wanted), meter{count: countInstructions()}
	t.Logf("%-40s %-12s %-12s %-12s %-12s %-12s %-5s %s", "operation", "of", "time", "instructions", "own", "heap", "gc",
		"microseconds, thousands of instructions and of bytes at each size")
	for _, op := range operations() {
		if pattern.MatchString(op.name) {
			t.Run(op.name, func(t *testing.T) { op.measure(t, m) })
		}
	}
}

// measure prints a row: the exponents of processor time, of instructions, and of those without the
// collector of garbage, over the upper half of the sizes and over all; the share of the collector at
// the largest size; and the costs.
func (op *operation) measure(t *testing.T, m meter) {
	var times, all, own, heap growth
	var c cost
	var costs strings.Builder
	for _, n := range op.sizes {
		c = m.cost(op.make(t, n))
		times.add(n, c.seconds)
		all.add(n, c.instructions)
		own.add(n, c.own)
		heap.add(n, c.bytes)
		fmt.Fprintf(&costs, "%8d: %-9.4g %-10.4g %-10.4g", n, c.seconds*1e6, c.instructions/1e3, c.bytes/1e3)
	}
	share := ""
	if c.own > 0 {
		share = fmt.Sprintf("%.0f%%", 100*max(0, 1-c.own/c.instructions))
	}
	t.Logf("%-40s %-12s %-12v %-12v %-12v %-12v %-5s %s", op.name, op.of, times, all, own, heap, share, &costs)
	if e, i, b := times.upper(), own.upper(), heap.upper(); e > mostTime || i > mostOwn || b > mostHeap {
		t.Errorf("%s: time grows with the power %.2f of the size, instructions without the collector with %.2f, the heap with %.2f; at most %.2f, %.2f and %.2f are wanted",
			op.name, e, i, b, mostTime, mostOwn, mostHeap)
	}
}

// A growth is a cost at each of several sizes, both as logarithms.
type growth struct{ xs, ys []float64 }

// add adds the cost at a size. An unknown cost is 0, and has no exponent.
func (g *growth) add(n int, cost float64) {
	if cost > 0 {
		g.xs, g.ys = append(g.xs, math.Log(float64(n))), append(g.ys, math.Log(cost))
	}
}

// upper returns the exponent over the upper half of the sizes.
func (g growth) upper() float64 {
	from := len(g.xs) - max(2, (len(g.xs)+1)/2)
	return slope(g.xs[max(0, from):], g.ys[max(0, from):])
}

// String returns both exponents.
func (g growth) String() string {
	if len(g.xs) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f)", g.upper(), slope(g.xs, g.ys))
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

// How often and how long an operation is measured; the best counts.
const (
	tries = 5
	least = 10 * time.Millisecond
)

// A meter measures what this process uses in all threads: collecting garbage is part of it.
type meter struct{ count counters }

// A cost is that of one call: processor time; instructions outside the kernel, and those without
// collecting garbage, 0 if they are not counted; the bytes that are allocated.
type cost struct{ seconds, instructions, own, bytes float64 }

// cost returns the least that a call of f costs.
func (m meter) cost(f func()) cost {
	f() // the first call may prepare those that follow
	n := 1
	for {
		if seconds, _, _ := m.batch(f, n); seconds*float64(n) >= least.Seconds() {
			break
		}
		n *= 2
	}
	best := cost{math.Inf(1), math.Inf(1), 0, math.Inf(1)}
	for range tries {
		seconds, instructions, bytes := m.batch(f, n)
		best.seconds, best.instructions, best.bytes = min(best.seconds, seconds), min(best.instructions, instructions), min(best.bytes, bytes)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	_, best.own, _ = m.batch(f, n)
	return best
}

// batch returns what each of n calls of f costs.
func (m meter) batch(f func(), n int) (seconds, instructions, bytes float64) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	i, t := m.count.instructions(), processorTime()
	for range n {
		f()
	}
	seconds, instructions = (processorTime() - t).Seconds(), float64(m.count.instructions()-i)
	runtime.ReadMemStats(&after)
	return seconds / float64(n), instructions / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
