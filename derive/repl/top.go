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
// only so many are wanted. rate reports whether the rates of an expression are shown.
func (s *Settings) arrange(smp *Sample, rate func(i int) bool) {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch s.Sort {
		case "name":
			slices.SortStableFunc(set.Values, func(a, b Value) int { return strings.Compare(a.Instance, b.Instance) })
		case "value":
			key := func(v Value) float64 { return size(v, rate(i)) }
			slices.SortStableFunc(set.Values, func(a, b Value) int { return cmp.Compare(key(b), key(a)) })
		default:
			continue
		}
		smp.Ordered = true
	}
	for i := range smp.Sets {
		if set := &smp.Sets[i]; s.Top > 0 && len(set.Values) > s.Top {
			set.More += len(set.Values) - s.Top
			set.Values = set.Values[:s.Top]
		}
	}
}

// size returns the number that a value is sorted by: the one that is shown. What has none comes
// last.
func size(v Value, rate bool) float64 {
	if f := shown(v, rate); !math.IsNaN(f) {
		return f
	}
	return math.Inf(-1)
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
