package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pmtools/derive/describe"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// Top is how many metrics people are shown, unless they say how many.
const Top = 15

// A Finder answers questions about the metrics of a source. It makes an Index for the first one, and another
// for other definitions, or if a live source has other names after some time.
type Finder struct {
	index   *Index
	of      pmapi.Source
	checked time.Time
}

// checkEvery is how long the names of a live source are taken to be the same.
const checkEvery = 10 * time.Second

// current reports whether the Index is that of the metrics that there are. The error is that of New.
func (f *Finder) current(ctx context.Context, c *describe.Catalogue) (bool, error) {
	if f.of != c.Derived {
		return false, nil
	}
	if c.Source.Line != nil || time.Since(f.checked) < checkEvery {
		return true, nil
	}
	f.checked = time.Now()
	return f.index.has(ctx, c.Derived)
}

// has reports whether a source has the names of an Index, and no others.
func (ix *Index) has(ctx context.Context, src pmapi.Source) (same bool, err error) {
	n := 0
	err = src.Walk(ctx, "", func(name string, id pcp.ID) bool {
		i, found := slices.BinarySearchFunc(ix.metrics, name, func(m metric, name string) int { return cmp.Compare(m.name, name) })
		same = found && ix.metrics[i].id == id && ctx.Err() == nil
		n++
		return same
	})
	return same && n == len(ix.metrics) || ix.cut, cmp.Or(err, ctx.Err())
}

// Find returns the metrics that a question is about, at most the first few of them. The error is a
// *query.Problem if there are none, that of ctx, or of a lost connection.
func (f *Finder) Find(ctx context.Context, c *describe.Catalogue, question string, most int) (*Answer, error) {
	switch same, err := f.current(ctx, c); {
	case err != nil:
		return nil, err
	case !same:
		ix, err := New(ctx, c.Derived, func(name string) string {
			if d := c.Defs.Find(name); d != nil {
				return d.String()
			}
			return ""
		})
		if err != nil {
			return nil, err
		}
		f.index, f.of, f.checked = ix, c.Derived, time.Now()
	}
	a, err := f.index.Find(ctx, question, most)
	if err != nil {
		return nil, err
	}
	if len(a.Matches) == 0 {
		return nil, f.index.problem(question, a)
	}
	a.Results, err = f.index.results(ctx, c, a.Matches)
	f.index.note(a)
	return a, err
}

// A Result is a match with what there is to show about it.
type Result struct {
	Match
	ID      pcp.ID
	Desc    pcp.Answer[pcp.Desc]
	OneLine string
	Example sampling.Value // not set if there is no value
}

// Examples of derived metrics may need several samples.
const (
	exampleSamples  = 3
	exampleInterval = 100 * time.Millisecond // between those of a live source
)

// results returns the results for matches. The error is that of ctx or of a lost connection.
func (ix *Index) results(ctx context.Context, c *describe.Catalogue, matches []Match) ([]Result, error) {
	list, ids := make([]Result, len(matches)), make([]pcp.ID, len(matches))
	for i, m := range matches {
		ids[i] = ix.metrics[m.metric].id
		list[i] = Result{Match: m, ID: ids[i], Desc: pcp.Answer[pcp.Desc]{Err: pmerr.BadDerive}}
	}
	descs, err := c.Derived.Describe(ctx, ids)
	if bad := fatal(ctx, err); bad != nil {
		return nil, bad
	}
	texts, err := c.Derived.Text(ctx, pcp.OneLine, pcp.Idents(ids))
	if bad := fatal(ctx, err); bad != nil {
		return nil, bad
	}
	for i := range list {
		if descs != nil {
			list[i].Desc = descs[i]
		}
		if texts != nil && texts[i].Err == nil {
			list[i].OneLine = strings.Join(strings.Fields(texts[i].Value), " ")
		}
	}
	e := &examples{Catalogue: c, namer: query.NewInstanceNamer(c.Source)}
	if c.Source.Line == nil {
		return list, e.fill(ctx, ids, list)
	}
	for i := range list { // a recording has metrics in different records
		r := &list[i]
		if !r.ID.IsDerived() {
			err = e.fill(ctx, ids[i:i+1], list[i:i+1])
		} else if v := c.First(ctx, r.Name, 0, true); len(v.List) > 0 {
			r.choose(len(v.List), func(k int) sampling.Value { return v.List[k] })
		} else {
			err = fatal(ctx, v.Err)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// An examples finds example values.
type examples struct {
	*describe.Catalogue
	namer *query.InstanceNamer
}

// fill gives metrics that are fetched together the first values that they have.
func (e *examples) fill(ctx context.Context, ids []pcp.ID, list []Result) error {
	times := sampling.Times{Start: e.Source.At, Interval: e.Source.Step, Samples: exampleSamples}
	if e.Source.Line == nil {
		times.Interval = exampleInterval
	}
	for f, err := range sampling.Fetches(ctx, e.Derived, &pmapi.Request{IDs: ids}, &times) {
		if err != nil {
			return fatal(ctx, err)
		}
		waits := false
		for i := range list {
			if v := &f.Sets[i]; !list[i].Example.Value.IsSet() && v.Len() > 0 {
				e.take(ctx, &list[i], v, f.Time)
			} else if v.Len() == 0 && list[i].ID.IsDerived() {
				waits = true
			}
		}
		if !waits {
			return nil
		}
	}
	return nil
}

// take gives a result a value of a column.
func (e *examples) take(ctx context.Context, r *Result, v *pcp.Values, at pcp.Timestamp) {
	r.choose(v.Len(), func(i int) sampling.Value {
		value := sampling.Value{ID: v.Insts[i], Value: v.Value(i)}
		if d := r.Desc.Value.InDom; d != pcp.NullInDom {
			value.Instance = e.namer.Name(ctx, d, v.Insts[i], at)
		}
		return value
	})
	if x := &r.Example.Value; x.IsSet() && !x.Type().Arithmetic() {
		*x = pcp.BlobValue(x.Type(), slices.Clone(x.Bytes()))
	}
}

// choose gives a result one of n values: that of an instance that the question names, or else the first.
func (r *Result) choose(n int, at func(i int) sampling.Value) {
	r.Example = at(0)
	named := slices.IndexFunc(r.Why, func(w Reason) bool { return w.In == fields[inInstance].name })
	for i := 0; named >= 0 && i < n; i++ {
		if v := at(i); v.Instance == r.Why[named].Text {
			r.Example = v
			return
		}
	}
}
