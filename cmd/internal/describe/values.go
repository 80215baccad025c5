package describe

import (
	"context"
	"encoding/json"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Values are those of one time.
type Values struct {
	Time  string  `json:"time,omitempty"`
	Units string  `json:"units"`
	List  []Value `json:"list"`           // in the order of the instances' identifiers
	More  int     `json:"more,omitempty"` // how many there are beyond these
	Error string  `json:"error,omitempty"`

	at   pcp.Timestamp
	desc pcp.Desc
}

// A Value is a value, and what JSON has of it.
type Value struct {
	Instance *answer.Instance `json:"instance,omitempty"` // nil for a metric without instances
	JSON     json.RawMessage  `json:"value"`
	Sample   sampling.Value   `json:"-"`
}

// NewValue returns a value of a metric in a domain.
func NewValue(v *sampling.Value, d pcp.InDom, zone *time.Location) Value {
	out := Value{JSON: format.AppendJSON(nil, v.Value, -1, zone), Sample: *v}
	if d != pcp.NullInDom {
		out.Instance = &answer.Instance{ID: v.ID, Name: v.Instance}
	}
	return out
}

// maxValues is how many values are described.
const maxValues = 100_000

// How a recording is read for metrics that it has in different records.
const (
	step  = 10 * time.Second
	steps = 6
)

// A wanted is the values of a metric or, unless they are raw, the rates of a counter.
type wanted struct {
	name string
	raw  bool
}

// Take takes the values of several live metrics at the same time, and the rates of those that are counters
// unless raw, for First to return: rates need two samples, and each metric would wait for its own. First
// reports errors of names. Take returns only the error of ctx or of a lost connection.
func (c *Catalogue) Take(ctx context.Context, names []string, interval time.Duration, raw bool) error {
	if c.Source.Line != nil {
		return nil
	}
	st, err := query.Run(ctx, c.Source, c.Defs, &query.Query{Exprs: names, Once: true, Interval: interval, Raw: raw})
	if err != nil {
		return Fatal(ctx, err)
	}
	c.taken = make(map[wanted]*Values)
	for s, failed := range st.Samples {
		for i := range st.Header.Metrics {
			m := &st.Header.Metrics[i]
			for _, w := range []wanted{{m.Name, false}, {m.Name, true}} {
				if c.taken[w], err = c.values(ctx, m, s, i, w.raw, failed); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// First returns the first values that a metric has from the position of the source on, or instead the
// rates of a counter. Interval is the time between two samples of a live source. The error is that of ctx or of a lost
// connection.
func (c *Catalogue) First(ctx context.Context, name string, interval time.Duration, raw bool) (*Values, error) {
	if v := c.taken[wanted{name, raw}]; v != nil {
		return v, nil
	}
	q := &query.Query{Exprs: []string{name}, Once: true, Raw: raw, Interval: interval}
	v, err := c.first(ctx, q)
	if src := c.Source; err == nil && len(v.List) == 0 && src.Line != nil && src.Step == 0 {
		q.Once, q.Times = false, sampling.Times{Start: src.At, Interval: step, Samples: steps}
		return c.first(ctx, q)
	}
	return v, err
}

// first returns the values of the first sample that has some.
func (c *Catalogue) first(ctx context.Context, q *query.Query) (*Values, error) {
	st, err := query.Run(ctx, c.Source, c.Defs, q)
	if err != nil {
		return &Values{List: []Value{}, Error: err.Error()}, Fatal(ctx, err)
	}
	m := &st.Header.Metrics[0]
	v := &Values{Units: m.Desc.Units.String(), List: []Value{}}
	for s, err := range st.Samples {
		if v, err = c.values(ctx, m, s, 0, q.Raw, err); err != nil || v.Error != "" || len(v.List) > 0 {
			return v, err
		}
	}
	return v, Fatal(ctx, nil)
}

// values returns the values that a sample has of a metric, of rates the counters if these are wanted.
func (c *Catalogue) values(ctx context.Context, m *sampling.Metric, s *sampling.Sample, i int, raw bool, err error) (*Values, error) {
	v := &Values{desc: m.Desc}
	if raw && m.Counter != nil {
		v.desc = *m.Counter
	}
	v.Units, v.List = v.desc.Units.String(), []Value{}
	if err == nil {
		err = s.Sets[i].Err
	}
	if err == nil {
		err = s.Sort(ctx)
	}
	if err != nil {
		v.Error = err.Error()
		return v, Fatal(ctx, err)
	}
	set := s.Sets[i]
	if raw && m.Counter != nil {
		set = set.Counters()
	}
	set.Keep(maxValues)
	if set, err = set.Own(ctx); err != nil {
		return nil, err
	}
	for k := range set.Len() {
		x := set.At(k)
		v.List = append(v.List, NewValue(&x, v.desc.InDom, c.Zone))
	}
	if v.More = set.More; len(v.List) > 0 {
		v.at, v.Time = s.Time, answer.Time(s.Time, c.Zone)
	}
	return v, Fatal(ctx, nil)
}
