package find

import (
	"context"
	"slices"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// A Finder answers questions about the metrics of a source. It makes an Index for the first one.
type Finder struct {
	index *Index
	of    pmapi.Source
}

// Find returns the metrics that a question is about, at most the first few of them. Derived is src with
// the definitions of defs. The error is a *query.Problem if there are none, that of ctx, or of a lost
// connection.
func (f *Finder) Find(ctx context.Context, src *query.Source, derived pmapi.Source, defs *query.Dictionary, question string, most int) (*Answer, error) {
	if f.of != derived {
		ix, err := New(ctx, derived, func(name string) string {
			if d := defs.Find(name); d != nil {
				return d.Expr
			}
			return ""
		})
		if err != nil {
			return nil, err
		}
		f.index, f.of = ix, derived
	}
	a, err := f.index.Find(ctx, question, most)
	if err != nil {
		return nil, err
	}
	if len(a.Matches) == 0 {
		return nil, f.index.problem(question, a)
	}
	a.Results, err = f.index.results(ctx, src, derived, a.Matches)
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

// results returns the results for matches. Derived is the source that the Index was made of, and src
// the one below. The error is that of ctx or of a lost connection.
func (ix *Index) results(ctx context.Context, src *query.Source, derived pmapi.Source, matches []Match) ([]Result, error) {
	list, ids := make([]Result, len(matches)), make([]pcp.ID, len(matches))
	for i, m := range matches {
		ids[i] = ix.metrics[m.metric].id
		list[i] = Result{Match: m, ID: ids[i], Desc: pcp.Answer[pcp.Desc]{Err: pmerr.BadDerive}}
	}
	descs, err := derived.Describe(ctx, ids)
	if bad := fatal(ctx, err); bad != nil {
		return nil, bad
	}
	texts, err := pmapi.Texts(ctx, derived, ids, pcp.OneLine)
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
	e := &examples{src: src, derived: derived, namer: query.NewInstanceNamer(src), list: list}
	if src.Line == nil {
		return list, e.fill(ctx, ids, list)
	}
	for i := range list { // a recording has metrics in different records
		if err := e.fill(ctx, ids[i:i+1], list[i:i+1]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// An examples finds example values.
type examples struct {
	src     *query.Source
	derived pmapi.Source
	namer   *query.InstanceNamer
	list    []Result
}

// fill gives metrics that are fetched together the first values that they have.
func (e *examples) fill(ctx context.Context, ids []pcp.ID, list []Result) error {
	times := sampling.Times{Start: e.src.At, Interval: e.src.Step, Samples: exampleSamples}
	if e.src.Line == nil {
		times.Interval = exampleInterval
	}
	for f, err := range sampling.Fetches(ctx, e.derived, &pmapi.Request{IDs: ids}, &times) {
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

// take gives a result a value of a column: that of an instance that the question names, or else the
// first.
func (e *examples) take(ctx context.Context, r *Result, v *pcp.Values, at pcp.Timestamp) {
	name := func(i int) string { return e.namer.Name(ctx, r.Desc.Value.InDom, v.Insts[i], at) }
	i, named := 0, slices.IndexFunc(r.Why, func(w Reason) bool { return w.In == fields[inInstance].name })
	for k := 0; named >= 0 && k < v.Len(); k++ {
		if name(k) == r.Why[named].Text {
			i, named = k, -1
		}
	}
	value := v.Value(i)
	if value.IsSet() && !value.Type().Arithmetic() {
		value = pcp.BlobValue(value.Type(), slices.Clone(value.Bytes()))
	}
	r.Example = sampling.Value{ID: v.Insts[i], Value: value}
	if r.Desc.Value.InDom != pcp.NullInDom {
		r.Example.Instance = name(i)
	}
}
