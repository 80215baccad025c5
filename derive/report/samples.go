package report

import (
	"context"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Shape gives the columns of a stream their labels, and leaves out the values that the report does not
// want. Over several hosts there is no Header before the first sample.
func (b *Bound) Shape(ctx context.Context, st *query.Stream) {
	var columns []*shown
	selective := false
	if st.Header != nil {
		columns, selective = b.look(st.Header)
	}
	samples := st.Samples
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		samples(func(smp *sampling.Sample, err error) bool {
			if columns == nil && err == nil {
				columns, selective = b.look(st.Header)
			}
			if err == nil && selective && smp.Missing == "" {
				err = b.choose(ctx, columns, smp)
			}
			if err != nil {
				smp = nil
			}
			return yield(smp, err)
		})
	}
}

// look gives metrics their looks, and returns the columns that they are, and whether any values of
// these are left out.
func (b *Bound) look(h *sampling.Header) (columns []*shown, selective bool) {
	columns = make([]*shown, len(h.Metrics))
	selective = b.Options.Number("rank", 0) != 0
	rows := b.Options.Has("colxrow") || !b.singular()
	for i := range h.Metrics {
		m := &h.Metrics[i]
		c := b.by[m.Name]
		if columns[i] = c; c == nil {
			continue
		}
		m.Look = &sampling.Look{Label: c.Title(), Precision: c.Precision, Width: c.Width, Unit: b.Options.Is("unitinfo", true), Rows: rows}
		selective = selective || c.inst != nil || c.limit != 0
	}
	return columns, selective
}

// singular reports whether a column has no instances.
func (b *Bound) singular() bool {
	for _, c := range b.by {
		if c.indom == pcp.NullInDom {
			return true
		}
	}
	return false
}

// choose leaves out of a sample what the filters and the rank do not select.
func (b *Bound) choose(ctx context.Context, columns []*shown, smp *sampling.Sample) error {
	for i, c := range columns {
		if c == nil || c.inst == nil && c.limit == 0 {
			continue
		}
		err := smp.Sets[i].Filter(ctx, func(v *sampling.Value) bool {
			return (c.inst == nil || c.indom == pcp.NullInDom || selects(c.inst, c.Metric, v.Instance)) && within(c.limit, v)
		})
		if err != nil {
			return err
		}
	}
	return b.rank(ctx, columns, smp)
}

// within reports whether a value is at a limit or above it, or below one that is negative. Only numbers
// are limited.
func within(limit float64, v *sampling.Value) bool {
	f := v.Number()
	switch {
	case limit > 0:
		return !(f < limit)
	case limit < 0:
		return !(f > -limit)
	}
	return true
}

// rank keeps the largest values of each metric with instances, or the smallest; if the report names a
// predicate, its instances are those of the others in its domain.
func (b *Bound) rank(ctx context.Context, columns []*shown, smp *sampling.Sample) error {
	n := b.Options.Number("rank", 0)
	if n == 0 {
		return nil
	}
	sign := -1
	if n < 0 {
		n, sign = -n, 1
	}
	predicate := b.Options.Get("predicate")
	domain := pcp.NullInDom
	for _, c := range columns {
		if c != nil && c.Metric == predicate {
			domain = c.indom
		}
	}
	wanted := make(map[int32]bool)
	smp.Ordered = true
	for i, c := range columns {
		if c == nil || c.indom == pcp.NullInDom || c.indom == domain && c.Metric != predicate {
			continue
		}
		set := &smp.Sets[i]
		if err := set.SortByValue(ctx, sign, n); err != nil {
			return err
		}
		set.Keep(n)
		for j := 0; c.Metric == predicate && j < set.Len(); j++ {
			wanted[set.ID(j)] = true
		}
	}
	for i, c := range columns {
		if c == nil || domain == pcp.NullInDom || c.indom != domain || c.Metric == predicate {
			continue
		}
		if err := smp.Sets[i].Filter(ctx, func(v *sampling.Value) bool { return wanted[v.ID] }); err != nil {
			return err
		}
	}
	return nil
}
