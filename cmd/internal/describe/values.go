package describe

import (
	"context"
	"slices"
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
	More int              // how many there are beyond these
	Err  error            // why there are none
}

// maxValues is how many values are described.
const maxValues = 100_000

// How a recording is read for metrics that it has in different records.
const (
	step  = 10 * time.Second
	steps = 6
)

// Take takes the values and rates of several live metrics at the same time, for First to return: rates
// need two samples, and each metric would wait for its own. What is wrong with a name is left to First.
func (c *Catalogue) Take(ctx context.Context, names []string, interval time.Duration) {
	if c.Source.Line != nil || len(names) < 2 {
		return
	}
	st, _ := query.Run(ctx, c.Source, c.Defs, &query.Query{Exprs: names, Once: true, Interval: interval})
	if st == nil {
		return
	}
	c.taken = make(map[string]taken)
	for s, err := range st.Samples {
		for i := range st.Header.Metrics {
			m := st.Header.Metrics[i]
			rates := valuesOf(ctx, &m, s, i, err)
			values := rates
			if m.Counter != nil {
				values = rates.counters(m.Counter)
			}
			c.taken[m.Name] = taken{values, rates}
		}
	}
}

// What Take has taken of a metric: rates are the values if it is not a counter.
type taken struct{ values, rates Values }

// counters returns the values of counters instead of their rates.
func (v Values) counters(d *pcp.Desc) Values {
	v.Desc, v.List = *d, slices.Clone(v.List)
	for i := range v.List {
		v.List[i].Value = v.List[i].Counter
	}
	return v
}

// First returns the first values that a metric has from the position of the source on, or instead the
// rates of a counter. Interval is the time between two samples of a live source.
func (c *Catalogue) First(ctx context.Context, name string, interval time.Duration, raw bool) Values {
	if t, ok := c.taken[name]; ok && raw {
		return t.values
	} else if ok {
		return t.rates
	}
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
		if v = valuesOf(ctx, &st.Header.Metrics[0], s, 0, err); v.Err != nil || len(v.List) > 0 {
			break
		}
	}
	return v
}

// valuesOf returns the values that a sample has of a metric.
func valuesOf(ctx context.Context, m *sampling.Metric, s *sampling.Sample, i int, err error) Values {
	v := Values{Desc: m.Desc}
	if err == nil {
		err = s.Sets[i].Err
	}
	if err == nil {
		err = s.Sort(ctx)
	}
	if err != nil {
		v.Err = err
		return v
	}
	set := s.Sets[i]
	set.Keep(maxValues)
	if set, err = set.Own(ctx); err != nil {
		return Values{Err: err}
	}
	v.Time, v.More, v.List = s.Time, set.More, make([]sampling.Value, set.Len())
	for i := range v.List {
		v.List[i] = set.At(i)
	}
	return v
}
