package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// sorts are the orders of values: by the identifiers of their instances, by the names, or the
// largest first.
var sorts = []string{"id", "name", "value"}

// Sorts returns the names of the orders of values, the usual one first.
func Sorts() []string { return slices.Clone(sorts) }

// arrange puts the values of a sample into the order that is set, and keeps the first of them if
// only so many are wanted.
func (s *Session) arrange(q *query, smp *Sample) {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch s.set.Sort {
		case "name":
			slices.SortStableFunc(set.Values, func(a, b Value) int { return strings.Compare(a.Instance, b.Instance) })
		case "value":
			key := func(v Value) float64 { return s.size(q.exprs[i], v) }
			slices.SortStableFunc(set.Values, func(a, b Value) int { return cmp.Compare(key(b), key(a)) })
		default:
			continue
		}
		smp.Ordered = true
	}
	for i := range smp.Sets {
		if set := &smp.Sets[i]; s.set.Top > 0 && len(set.Values) > s.set.Top {
			set.More = len(set.Values) - s.set.Top
			set.Values = set.Values[:s.set.Top]
		}
	}
}

// size returns the number that a value is sorted by: the one that is shown. What has none comes
// last.
func (s *Session) size(c *compiled, v Value) float64 {
	shown := v.Value
	if c.rate && !s.raw() {
		shown = v.Rate
	}
	if !shown.IsSet() || !shown.Type().Arithmetic() {
		return math.Inf(-1)
	}
	f, err := shown.Float64()
	if err != nil || math.IsNaN(f) {
		return math.Inf(-1)
	}
	return f
}

// defaultTop is how many values :top shows.
const defaultTop = 10

// runTop shows the largest values.
func runTop(ctx context.Context, s *Session, arg string, w io.Writer) error {
	n, text := cutCount(arg)
	before := s.set
	defer func() { s.set = before }()
	s.set.Sort, s.set.Top = "value", cmp.Or(n, defaultTop)
	return s.runExpr(ctx, text, w)
}

// showMore tells how many values are not shown.
func showMore(w io.Writer, set *Set) {
	if set.More > 0 {
		fmt.Fprintf(w, "+%d more\n", set.More)
	}
}
