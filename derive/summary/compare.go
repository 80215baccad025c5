package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// A Comparison is how the summaries of two windows differ.
type Comparison struct {
	Threshold float64  // the least score that is wanted
	Changed   []Change // those with such a score, the largest first
	Same      int      // how many have a smaller one
	Clocks    int      // how many only tell the time, such as an uptime; these have no score
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

// Difference returns by how much the mean of B is larger than that of A.
func (c *Change) Difference() float64 { return c.B.Mean - c.A.Mean }

// Ratio returns the mean of B divided by that of A, NaN if that is 0.
func (c *Change) Ratio() float64 {
	if c.A.Mean == 0 {
		return math.NaN()
	}
	return c.B.Mean / c.A.Mean
}

// A Score says how much a change stands out: how many times it is as large as one that hardly matters.
type Score struct {
	Value float64
	By    string  // ByMean or ByP95
	KS    float64 // the statistic of Kolmogorov and Smirnov; NaN if there are too few samples for it
}

// Parts of a score.
const (
	ByMean = "mean"
	ByP95  = "p95"
)

// enough is how many samples of each side the statistic of Kolmogorov and Smirnov needs, and certain
// the value that the statistic, times the root of the harmonic mean of the samples of both sides,
// exceeds by chance once in a thousand times.
const (
	enough  = 30
	certain = 1.95
)

// part is the part of a value that hardly matters.
const part = 0.05

// small are changes that hardly matter by the units of values, whatever these are. Other units have none.
var small = []struct {
	pcp.Units
	change float64
}{
	{pcp.Units{}, 0.05}, // of a load, or of a processor; see smallChange for whole numbers
	{pcp.Units{DimCount: 1}, 1},
	{pcp.Units{DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}, 1},
	{pcp.Units{DimSpace: 1, ScaleSpace: pcp.Mbyte}, 1},
	{pcp.Units{DimSpace: 1, DimTime: -1, ScaleSpace: pcp.Kbyte, ScaleTime: pcp.Sec}, 10},
	{pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}, 1},
	{pcp.Units{DimTime: 1, DimCount: -1, ScaleTime: pcp.Msec}, 0.1},
}

// identifies reports whether the numbers of a metric name something. Most of these metrics are discrete.
func identifies(name string) bool {
	return strings.HasSuffix(name, "pid") || strings.HasSuffix(name, ".inode")
}

// score returns the score by the means. If these hardly differ, but the distributions of the samples
// do, and not by chance, it is that by the quantiles 0.95.
func (c *Change) score() Score {
	s := Score{c.stand(c.A.Mean, c.B.Mean), ByMean, math.NaN()}
	n, m := float64(c.A.Samples), float64(c.B.Samples)
	if min(n, m) < enough {
		return s
	}
	s.KS = distance(c.A.spread, c.B.spread)
	if s.Value >= 1 || s.KS*math.Sqrt(n*m/(n+m)) < certain {
		return s
	}
	if x := c.stand(c.A.P95, c.B.P95); x > s.Value {
		s.Value, s.By = x, ByP95
	}
	return s
}

// stand returns the difference of a number of both windows divided by what hardly matters: the deviation of the
// samples of A, part of the larger number, and the small change of the units, in all. Names and settings differ or do not.
func (c *Change) stand(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case c.Desc.Sem == pcp.Discrete, identifies(c.Name):
		return 1
	}
	return math.Abs(b-a) / (math.Sqrt(c.A.spread.variance) + part*max(math.Abs(a), math.Abs(b)) + smallChange(&c.Desc))
}

// smallChange returns the small change of values. Whole numbers without units are numbers of things.
func smallChange(d *pcp.Desc) float64 {
	if d.Units.Dimensionless() && d.Type != pcp.Float && d.Type != pcp.Double {
		return 1
	}
	for i := range small {
		if v, err := pcp.DoubleValue(small[i].change).ConvScale(small[i].Units, d.Units); err == nil {
			change, _ := v.Float64()
			return change
		}
	}
	return 0
}

// clock reports whether values are times that grow in both windows, such as an uptime.
func (c *Change) clock() bool {
	grows := func(r *Row) bool { return r.First == r.Min && r.Last == r.Max && r.First < r.Last }
	u := c.Desc.Units
	return c.A.Counter == nil && u.DimTime == 1 && u.DimSpace == 0 && u.DimCount == 0 && grows(c.A) && grows(c.B)
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
		if change.clock() {
			c.Clocks++
			continue
		}
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
