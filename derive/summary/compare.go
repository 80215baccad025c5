package summary

import (
	"cmp"
	"math"
	"slices"
)

// A Comparison is how the summaries of two windows differ.
type Comparison struct {
	Threshold float64  // the least score that is wanted
	Changed   []Change // those with such a score, the largest first
	Same      int      // how many have a smaller one
	OnlyA     []Change // metrics, and instances of metrics, that only A has
	OnlyB     []Change
	Largest   float64 // score, whatever the threshold is
}

// A Change is a metric, or an instance, in two windows.
type Change struct {
	*Row        // of A, or of B if A has none
	A, B  *Row  // nil where there are no samples
	Score Score // of a change that both windows have
}

// steady is the part of a mean by which numbers that hardly vary are taken to deviate.
const steady = 1e-3

// Difference returns by how much the mean of B is larger than that of A.
func (c *Change) Difference() float64 { return c.B.Mean - c.A.Mean }

// Ratio returns the mean of B divided by that of A, NaN if that is 0.
func (c *Change) Ratio() float64 {
	if c.A.Mean == 0 {
		return math.NaN()
	}
	return c.B.Mean / c.A.Mean
}

// A Score says how much a change stands out. Its unit is the deviation of the samples, whatever By is.
type Score struct {
	Value float64
	By    string  // ByMean or ByDistribution
	KS    float64 // the statistic of Kolmogorov and Smirnov; NaN if there are too few samples for it
}

// What scores are made of.
const (
	ByMean         = "mean"
	ByDistribution = "ks"
)

// enough is how many samples of each side the statistic of Kolmogorov and Smirnov needs, and certain
// the value that the statistic, times the root of the harmonic mean of the samples of both sides,
// exceeds by chance once in a thousand times.
const (
	enough  = 30
	certain = 1.95
)

// score returns the larger of two: how large the difference of the means is compared with the pooled
// deviation of the samples, and the difference that two normal distributions have whose statistic of
// Kolmogorov and Smirnov is that of the samples. The latter is for a statistic that is hardly one of chance.
func (c *Change) score() Score {
	s := Score{c.meanScore(), ByMean, math.NaN()}
	n, m := float64(c.A.Samples), float64(c.B.Samples)
	if min(n, m) < enough {
		return s
	}
	s.KS = distance(c.A.spread, c.B.spread)
	if s.KS*math.Sqrt(n*m/(n+m)) < certain {
		return s
	}
	most := 1 - 1/(n+m) // samples do not tell more than that
	if x := 2 * math.Sqrt2 * math.Erfinv(min(s.KS, most)); x > s.Value {
		s.Value, s.By = x, ByDistribution
	}
	return s
}

// meanScore returns the score by the means. The pooled deviation of the samples is taken to be at least
// a thousandth of the larger mean.
func (c *Change) meanScore() float64 {
	d := math.Abs(c.Difference())
	if d == 0 {
		return 0
	}
	pooled := math.Sqrt(c.A.spread.variance/2 + c.B.spread.variance/2)
	return d / max(pooled, steady*math.Abs(c.A.Mean), steady*math.Abs(c.B.Mean))
}

// A place is what rows of both windows have in common. Instances may share a name.
type place struct {
	metric, units, instance string
	number                  int
}

// index returns the rows by their places, and those of metrics, in order.
func index(rows []Row) (by map[place]*Row, order []place) {
	by = make(map[place]*Row)
	for i := range rows {
		r := &rows[i]
		if r.Samples == 0 {
			continue
		}
		at := place{metric: r.Name, units: r.Desc.Units.String(), instance: r.Instance}
		if r.One {
			at.number = 1
		}
		for by[at] != nil {
			at.number++
		}
		by[at] = r
		order = append(order, at)
	}
	return by, order
}

// Ranked keeps the instances that are among the n of their metric with the largest means in one of two windows.
func Ranked(a, b []Row, n int) (keptA, keptB []Row) {
	type instance struct{ metric, name string }
	wanted := make(map[instance]bool)
	by := Order{Top: n, By: "mean"}
	for _, rows := range [][]Row{a, b} {
		for _, r := range by.Rows(slices.Clone(rows)) {
			wanted[instance{r.Name, r.Instance}] = true
		}
	}
	other := func(r Row) bool { return r.One && !wanted[instance{r.Name, r.Instance}] }
	return slices.DeleteFunc(a, other), slices.DeleteFunc(b, other)
}

// Compare compares the rows of two summaries of each instance, which have been made for it, see Options. A metric
// in other units is another metric.
func Compare(a, b []Row, threshold float64) *Comparison {
	inA, orderA := index(a)
	inB, orderB := index(b)
	c := &Comparison{Threshold: threshold, OnlyA: only(inA, inB, orderA, false), OnlyB: only(inB, inA, orderB, true)}
	for _, at := range orderA {
		x, y := inA[at], inB[at]
		if y == nil || x.Above || y.Above {
			continue
		}
		change := Change{Row: x, A: x, B: y}
		change.Score = change.score()
		c.Largest = max(c.Largest, change.Score.Value)
		if v := change.Score.Value; v == 0 || v < threshold {
			c.Same++
		} else {
			c.Changed = append(c.Changed, change)
		}
	}
	slices.SortStableFunc(c.Changed, func(x, y Change) int { return cmp.Compare(y.Score.Value, x.Score.Value) })
	return c
}

// only returns what the other window has not: a metric, or an instance of one that it has.
func only(in, other map[place]*Row, order []place, isB bool) (list []Change) {
	for _, at := range order {
		metric := at
		metric.instance, metric.number = "", 0
		if r := in[at]; other[at] == nil && (!r.One || other[metric] != nil) {
			change := Change{Row: r, A: r}
			if isB {
				change.A, change.B = nil, r
			}
			list = append(list, change)
		}
	}
	idle := func(c *Change) int { // zeros say least
		if c.Min == 0 && c.Max == 0 {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(x, y Change) int { return idle(&x) - idle(&y) })
	return list
}
