package find

import (
	"context"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/describe"
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
	list, _, err := names(ctx, c.Derived)
	return slices.Equal(list, f.index.metrics), err
}

// Find returns the metrics that a question is about, at most the first few of them. The error is a
// *diagnose.Problem if there are none, that of ctx, or of a lost connection.
func (f *Finder) Find(ctx context.Context, c *describe.Catalogue, question string, most int) (*Answer, error) {
	same, err := f.current(ctx, c)
	if err != nil {
		return nil, err
	}
	if !same {
		expression := func(name string) string {
			if d := c.Defs.Find(name); d != nil {
				return d.String()
			}
			return ""
		}
		if f.index, err = New(ctx, c.Derived, expression); err != nil {
			f.of = nil
			return nil, err
		}
		f.of, f.checked = c.Derived, time.Now()
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

// Examples of derived metrics of a live source may need several samples.
const (
	exampleSamples  = 3
	exampleInterval = 100 * time.Millisecond
)

// results returns the results for matches. The error is that of ctx or of a lost connection.
func (ix *Index) results(ctx context.Context, c *describe.Catalogue, matches []Match) ([]Result, error) {
	list, ids := make([]Result, len(matches)), make([]pcp.ID, len(matches))
	for i, m := range matches {
		ids[i] = ix.metrics[m.metric].id
		list[i] = Result{Match: m, ID: ids[i], Desc: pcp.Answer[pcp.Desc]{Err: pmerr.BadDerive}}
	}
	descs, err := c.Derived.Describe(ctx, ids)
	if bad := describe.Fatal(ctx, err); bad != nil {
		return nil, bad
	}
	texts, err := c.Derived.Text(ctx, pcp.OneLine, pcp.Idents(ids))
	if bad := describe.Fatal(ctx, err); bad != nil {
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
	if c.Source.Line == nil {
		return list, describe.Fatal(ctx, take(ctx, c, ids, list))
	}
	for i := range list { // a recording has metrics in different records
		v := c.First(ctx, list[i].Name, 0, true)
		if bad := describe.Fatal(ctx, v.Err); bad != nil {
			return nil, bad
		}
		list[i].choose(v.List)
	}
	return list, nil
}

// take gives metrics of a live source the first values that they have.
func take(ctx context.Context, c *describe.Catalogue, ids []pcp.ID, list []Result) error {
	namer := query.NewInstanceNamer(c.Source)
	for f, err := range sampling.Fetches(ctx, c.Derived, &pmapi.Request{IDs: ids}, &sampling.Times{Interval: exampleInterval, Samples: exampleSamples}) {
		if err != nil {
			return err
		}
		waits := false
		for i := range list {
			r, v := &list[i], &f.Sets[i]
			waits = waits || v.Len() == 0 && r.ID.IsDerived()
			if r.Example.Value.IsSet() {
				continue
			}
			values := make([]sampling.Value, v.Len())
			for k := range values {
				values[k] = sampling.Value{ID: v.Insts[k], Value: v.Value(k)}
				if d := r.Desc.Value.InDom; d != pcp.NullInDom {
					values[k].Instance = namer.Name(ctx, d, v.Insts[k], f.Time)
				}
			}
			r.choose(values)
			if x := &r.Example.Value; x.IsSet() && !x.Type().Arithmetic() { // the next sample overwrites its bytes
				*x = pcp.BlobValue(x.Type(), slices.Clone(x.Bytes()))
			}
		}
		if !waits {
			break
		}
	}
	return nil
}

// choose takes the value of an instance that the question names, or else the first.
func (r *Result) choose(list []sampling.Value) {
	if len(list) == 0 {
		return
	}
	r.Example = list[0]
	for _, w := range r.Why {
		named := slices.IndexFunc(list, func(v sampling.Value) bool { return w.In == places[inInstance].name && v.Instance == w.Text })
		if named >= 0 {
			r.Example = list[named]
			return
		}
	}
}
