package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Plot is a chart: series of numbers over the same times. What is missing is not a number.
type Plot struct {
	Caption string
	Series  []Series
	Width   int // of the output, 0 if it has no bounds
	Color   bool
}

// A Series is the values of one instance.
type Series struct {
	Name   string
	Values []float64
}

// Bounds of charts.
const (
	maxSeries  = 8
	maxPlotted = 10000 // samples; an even number
)

// PlotSamples is how many samples a chart has if nothing else is said.
const PlotSamples = 60

// runPlot draws a chart.
func runPlot(ctx context.Context, s *Session, arg string, w io.Writer) error {
	n, text := cutCount(arg)
	if n == 0 {
		n = cmp.Or(s.set.Samples, PlotSamples)
	}
	q, err := s.query(ctx, text, func(note string) { fmt.Fprintln(w, note) })
	if err != nil {
		return err
	}
	if !q.exprs[0].info.Root.Type.Arithmetic() {
		return problemf("the values are no numbers: %s", metadata(q.exprs[0].info.Root))
	}
	c := &chart{s: s, q: q}
	err = s.over(ctx, q, &Window{Timed: true, Samples: min(n, maxPlotted)}, func(*sampler) (take, func() error) {
		return c.sample, func() error { return c.draw(w) }
	})
	if errors.Is(err, context.Canceled) && c.samples > 0 {
		_ = s.noteLost(err)
		return nil // what there was has been drawn
	}
	return err
}

// cutCount takes a number of samples from the front of the argument of :plot.
func cutCount(arg string) (int, string) {
	word, rest, ok := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	n, err := strconv.Atoi(word)
	if !ok || err != nil || n < 1 || startsOperator(rest) {
		return 0, arg
	}
	return n, rest
}

// A chart collects samples. Of very many it keeps every second, every fourth and so on.
type chart struct {
	s       *Session
	q       *query
	seen    int // samples
	stride  int // how many of them there are for one that is kept
	samples int // that are kept
	series  []*Series
	index   map[csvColumn]*Series
}

// sample adds a sample.
func (c *chart) sample(smp *reading) error {
	if c.index == nil {
		c.index, c.stride = make(map[csvColumn]*Series), 1
	}
	if c.seen++; (c.seen-1)%c.stride != 0 {
		return nil
	}
	if c.samples == maxPlotted {
		c.thin()
	}
	for i, x := range c.q.exprs {
		if !x.info.Root.Type.Arithmetic() {
			continue
		}
		for _, v := range smp.Sets[i].Values {
			key := csvColumn{i, v.ID}
			series := c.index[key]
			if series == nil {
				series = &Series{Name: c.name(i, v)}
				for range c.samples {
					series.Values = append(series.Values, math.NaN())
				}
				c.index[key] = series
				c.series = append(c.series, series)
			}
			f := math.NaN()
			if val := c.s.shownValue(x, v); val.IsSet() {
				f, _ = val.Float64()
			}
			if len(series.Values) == c.samples {
				series.Values = append(series.Values, f)
			}
		}
	}
	c.samples++
	for _, series := range c.series {
		for len(series.Values) < c.samples {
			series.Values = append(series.Values, math.NaN())
		}
	}
	return nil
}

// thin keeps every second sample.
func (c *chart) thin() {
	c.stride *= 2
	for _, s := range c.series {
		kept := s.Values[:0]
		for i := 0; i < len(s.Values); i += 2 {
			kept = append(kept, s.Values[i])
		}
		s.Values = kept
	}
	c.samples = (c.samples + 1) / 2
}

// name returns what a series is called.
func (c *chart) name(i int, v readingValue) string {
	switch {
	case v.Instance == "":
		return c.q.names[i]
	case len(c.q.exprs) == 1:
		return v.Instance
	}
	return c.q.names[i] + "[" + v.Instance + "]"
}

// draw draws the chart of the largest series.
func (c *chart) draw(w io.Writer) error {
	list := slices.DeleteFunc(slices.Clone(c.series), func(s *Series) bool { return math.IsInf(peak(s), -1) })
	switch {
	case c.samples == 0:
		return nil
	case len(list) == 0:
		fmt.Fprintln(w, "no values")
		return nil
	case len(list) > maxSeries:
		fmt.Fprintf(w, "the largest %d of %d series\n", maxSeries, len(list))
		slices.SortStableFunc(list, func(a, b *Series) int { return cmp.Compare(peak(b), peak(a)) })
		list = list[:maxSeries]
	}
	p := &Plot{Width: c.s.width(), Color: c.s.set.Color, Caption: strings.Join(c.q.names, ", ")}
	if u := c.s.shown(c.q.exprs[0]).Units; !u.Dimensionless() {
		p.Caption += " in " + units(u)
	}
	for _, s := range list {
		p.Series = append(p.Series, *s)
	}
	if c.s.opt.Plot != nil {
		return c.s.opt.Plot(w, p)
	}
	for _, s := range p.Series {
		fmt.Fprintf(w, "%s %s\n", s.Name, spark(s.Values))
	}
	return nil
}

// peak returns the largest number of a series.
func peak(s *Series) float64 {
	high := math.Inf(-1)
	for _, f := range s.Values {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			high = max(high, f)
		}
	}
	return high
}
