package report

import (
	"context"
	"slices"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Shape gives the columns of a stream their labels, and leaves out the values that the report does not
// want. Over several hosts there is no Header before the first sample.
func (b *Bound) Shape(ctx context.Context, st *query.Stream) {
	var c *choice
	if st.Header != nil {
		c = b.look(st.Header)
	}
	samples := st.Samples
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		for smp, err := range samples {
			if c == nil && err == nil {
				c = b.look(st.Header)
			}
			if err == nil && c.selective && smp.Missing == "" {
				choosing := ctx
				if smp.Average { // also of samples that an interrupt has ended
					choosing = context.WithoutCancel(ctx)
				}
				err = c.choose(choosing, smp)
			}
			if err != nil {
				smp = nil
			}
			if !yield(smp, err) || err != nil {
				return
			}
		}
	}
}

// look gives metrics their looks, and returns which of their values are wanted.
func (b *Bound) look(h *sampling.Header) *choice {
	c := &choice{columns: make([]*shown, len(h.Metrics)), ranking: b.ranking()}
	rows := b.Options.Has("colxrow") || !b.singular()
	for i := range h.Metrics {
		m := &h.Metrics[i]
		s := b.by[m.Name]
		if c.columns[i] = s; s == nil {
			continue
		}
		m.Look = &sampling.Look{Label: s.Title(), Precision: s.Precision, Width: s.Width, Unit: b.Options.Is("unitinfo", true), Rows: rows}
	}
	if ask := h.Instances; ask != nil {
		h.Instances = func(ctx context.Context, metric int) ([]pcp.Instance, error) {
			list, err := ask(ctx, metric)
			return slices.DeleteFunc(list, func(in pcp.Instance) bool {
				s := c.columns[metric]
				return s != nil && !s.wants(in.Name)
			}), err
		}
	}
	if !rows {
		c.sort = nil // columns stay in their places
	}
	for _, s := range c.columns {
		c.selective = c.selective || s != nil && s.filters() || c.top != 0 || len(c.sort) > 0
	}
	return c
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

// A choice says which values of a sample are wanted.
type choice struct {
	columns []*shown // of the metrics of the sample; nil for those of others
	ranking
	selective bool // some values are left out, or sorted
}

// choose leaves out of a sample the values that are not wanted, and sorts the others.
func (c *choice) choose(ctx context.Context, smp *sampling.Sample) error {
	if err := c.filter(ctx, smp); err != nil {
		return err
	}
	if err := smp.Sort(ctx); err != nil { // metrics that have no rank stay in this order
		return err
	}
	if err := c.rank(ctx, smp); err != nil {
		return err
	}
	return c.order(ctx, smp)
}

// filter keeps the values within the limits, and of the instances that are wanted.
func (c *choice) filter(ctx context.Context, smp *sampling.Sample) error {
	for i, s := range c.columns {
		if s == nil || !s.filters() {
			continue
		}
		err := smp.Sets[i].Filter(ctx, func(v *sampling.Value) bool { return s.wants(v.Instance) && limited(s.limit, v.Number()) })
		if err != nil {
			return err
		}
	}
	return nil
}

// filters reports whether some values of a column are left out.
func (s *shown) filters() bool { return s.named() || s.limit != 0 }

// named reports whether the names of instances decide.
func (s *shown) named() bool { return s.inst != nil && s.indom != pcp.NullInDom }

// wants reports whether a column has an instance.
func (s *shown) wants(instance string) bool { return !s.named() || selects(s.inst, s.Metric, instance) }

// limited reports whether a number is at a limit or above it, or below one that is negative. Only numbers are limited.
func limited(limit, f float64) bool {
	switch {
	case limit > 0:
		return !(f < limit)
	case limit < 0:
		return !(f > -limit)
	}
	return true
}
