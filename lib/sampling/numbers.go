package sampling

import (
	"context"
	"slices"

	"pmtools/lib/format"
)

// Magnitude returns the size of the numbers of a set.
func (set *Set) Magnitude(ctx context.Context) (size format.Magnitude, err error) {
	for i := range set.Len() {
		if err := Ended(ctx, i); err != nil {
			return size, err
		}
		size.Note(set.Value(i))
	}
	return size, nil
}

// Fit makes room in a column for the numbers of a set, and returns its width.
func (set *Set) Fit(ctx context.Context, n *format.Numbers) (width int, err error) {
	for i := range set.Len() {
		if err := Ended(ctx, i); err != nil {
			return 0, err
		}
		width = n.Fit(set.Value(i))
	}
	return width, nil
}

// Numbers returns how the numbers of a set are shown, and the width of their column.
func (set *Set) Numbers(ctx context.Context, form format.NumberForm, m *Metric) (n format.Numbers, width int, err error) {
	if !m.Desc.Type.Arithmetic() {
		return n, 0, nil
	}
	size, err := set.Magnitude(ctx)
	if err != nil {
		return n, 0, err
	}
	n = form.Numbers(&m.Desc, m.Fixed, size)
	width, err = set.Fit(ctx, &n)
	return n, width, err
}

// Counters returns the Set of the counters of rates.
func (set *Set) Counters() Set {
	counters := *set
	if counters.rates = nil; counters.values == nil {
		counters.list = slices.Clone(set.list)
		for i := range counters.list {
			counters.list[i].Value = counters.list[i].Counter
		}
	}
	return counters
}
