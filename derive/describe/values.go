package describe

import (
	"cmp"
	"context"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Values are those of one time.
type Values struct {
	Time pcp.Timestamp
	Desc pcp.Desc
	List []sampling.Value // in the order of the instances' identifiers
	Err  error            // why there are none
}

// How a recording is read for metrics that it has in different records.
const (
	step  = 10 * time.Second
	steps = 6
)

// First returns the first values that a metric has from the position of the source on, or instead the
// rates of a counter. Interval is the time between two samples of a live source.
func (c *Catalogue) First(ctx context.Context, name string, interval time.Duration, raw bool) Values {
	q := &query.Query{Exprs: []string{name}, Once: true, Raw: raw, Interval: interval}
	v := c.first(ctx, q)
	if src := c.Source; len(v.List) == 0 && src.Line != nil && src.Step == 0 && c.Defs.Find(name) != nil && ctx.Err() == nil {
		q.Once, q.Times = false, sampling.Times{Start: src.At, Interval: step, Samples: steps}
		v = c.first(ctx, q)
	}
	return v
}

// first returns the values of the first sample that has some.
func (c *Catalogue) first(ctx context.Context, q *query.Query) Values {
	st, err := query.Run(ctx, c.Source, c.Defs, q)
	if err != nil {
		return Values{Err: err}
	}
	v := Values{Desc: st.Header.Metrics[0].Desc}
	for s, err := range st.Samples {
		if err == nil {
			err = cmp.Or(s.Sets[0].Err, s.Sort(ctx))
		}
		if err != nil {
			v.Err = err
			return v
		}
		if s.Sets[0].Len() == 0 {
			continue
		}
		set, err := s.Sets[0].Own(ctx)
		if err != nil {
			return Values{Err: err}
		}
		v.Time, v.List = s.Time, make([]sampling.Value, set.Len())
		for i := range v.List {
			v.List[i] = set.At(i)
		}
		return v
	}
	return v
}
