package summary

import (
	"cmp"
	"math"
	"slices"
)

// A Limit says which changes are wanted.
type Limit struct {
	Threshold float64 // the least score
	Top       int     // at most so many, the largest first; 0 for all
}

// A Comparison is how the summaries of two windows differ.
type Comparison struct {
	Rows    []Change // the largest score first
	OnlyA   []Change // metrics, and instances of metrics, that only A has
	OnlyB   []Change
	Changed int     // how many have a score of the threshold or more
	Same    int     // how many have a smaller one
	Largest float64 // score, whatever the threshold is
	Limit
}

// A Change is a metric, or an instance, in two windows.
type Change struct {
	*Row          // of A, or of B if A has none
	A, B  *Series // nil where there are no samples
	score Score   // of a change that both windows have
}

// steady is the part of a mean by which numbers that hardly vary are taken to deviate.
const steady = 1e-3

// Difference returns by how much the mean of B is larger than that of A.
func (c *Change) Difference() float64 { return c.B.Mean() - c.A.Mean() }

// Ratio returns the mean of B divided by that of A, NaN if that is 0.
func (c *Change) Ratio() float64 {
	if c.A.Mean() == 0 {
		return math.NaN()
	}
	return c.B.Mean() / c.A.Mean()
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

// Score returns the larger of two: how large the difference of the means is compared with the pooled
// deviation of the samples, and the difference that two normal distributions have whose statistic of
// Kolmogorov and Smirnov is that of the samples. The latter is for a statistic that is hardly one of chance.
func (c *Change) Score() Score {
	s := Score{c.meanScore(), ByMean, math.NaN()}
	n, m := float64(c.A.Samples), float64(c.B.Samples)
	if min(n, m) < enough {
		return s
	}
	s.KS = distance(&c.A.Sketch, &c.B.Sketch)
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
	pooled := math.Sqrt(c.A.variance()/2 + c.B.variance()/2)
	return d / max(pooled, steady*math.Abs(c.A.Mean()), steady*math.Abs(c.B.Mean()))
}

// variance returns that of the samples.
func (s *Series) variance() float64 {
	if s.Samples < 2 {
		return 0
	}
	n := float64(s.Samples)
	shift := s.sum - n*s.First // sums are of distances from the first sample, which keeps their digits
	return max(0, (s.squares-shift/n*shift)/(n-1))
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
func Ranked(windows *[2][]Row, n int) {
	type instance struct{ metric, name string }
	wanted := make(map[instance]bool)
	by := Order{Top: n, By: "mean"}
	for _, rows := range windows {
		for _, r := range by.Rows(slices.Clone(rows)) {
			wanted[instance{r.Name, r.Instance}] = true
		}
	}
	for i := range windows {
		windows[i] = slices.DeleteFunc(windows[i], func(r Row) bool { return r.One && !wanted[instance{r.Name, r.Instance}] })
	}
}

// Compare compares the rows of two summaries of each instance. A metric in other units is another
// metric.
func Compare(a, b []Row, limit Limit) *Comparison {
	inA, orderA := index(a)
	inB, orderB := index(b)
	c := &Comparison{Limit: limit, OnlyA: only(inA, inB, orderA, false), OnlyB: only(inB, inA, orderB, true)}
	for _, at := range orderA {
		x, y := inA[at], inB[at]
		if y == nil || x.parent() || y.parent() {
			continue
		}
		change := Change{Row: x, A: x.Series, B: y.Series}
		change.score = change.Score()
		c.Largest = max(c.Largest, change.score.Value)
		if v := change.score.Value; v == 0 || v < limit.Threshold {
			c.Same++
		} else {
			c.Rows = append(c.Rows, change)
		}
	}
	slices.SortStableFunc(c.Rows, func(x, y Change) int { return cmp.Compare(y.score.Value, x.score.Value) })
	c.Changed, c.Rows = len(c.Rows), c.first(c.Rows)
	return c
}

// parent reports whether a row stands above instances.
func (r *Row) parent() bool { return !r.One && len(r.points) > 0 && r.points[0].own != nil }

// only returns what the other window has not: a metric, or an instance of one that it has.
func only(in, other map[place]*Row, order []place, isB bool) (list []Change) {
	for _, at := range order {
		metric := at
		metric.instance, metric.number = "", 0
		if r := in[at]; other[at] == nil && (!r.One || other[metric] != nil) {
			change := Change{Row: r, A: r.Series}
			if isB {
				change.A, change.B = nil, r.Series
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
