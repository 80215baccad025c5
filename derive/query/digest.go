package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"pmtools/derive/internal/insts"
	"pmtools/derive/summary"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// A Digest is the summary of a window of a recording, or of samples of a live source.
type Digest struct {
	*summary.Summary
	// Names has the names of instances, if there is a summary of each.
	Names map[pcp.InDom]map[int32]string

	instances bool // there is a summary of each
}

// maxPast bounds the memory of what is known about intervals.
const maxPast = 1 << 20

var errPast = Problemf("intervals are so many that they have more than %d rows; choose longer ones, fewer metrics, or a shorter time", maxPast)

// Summarize summarizes the expressions of q over its times, record by record, and each of their
// instances and intervals as the options say. A live source is sampled at the interval of q until the
// times end, or ctx does after the first sample. Without expressions Summarize takes all metrics that have
// numbers as values there. An error beside a Digest is why some expressions, or the rest of the
// recording, are not in it.
func Summarize(ctx context.Context, src *Source, defs *Dictionary, q *Query, opt summary.Options) (*Digest, error) {
	d := &Digest{Summary: summary.New(opt), Names: make(map[pcp.InDom]map[int32]string), instances: opt.Instances}
	bad, err := d.add(ctx, src, defs, q)
	if err != nil {
		return nil, err
	}
	d.choose(ctx, src, q)
	if err = d.read(ctx, src, q); err == errPast {
		return nil, err
	} else if err != nil {
		bad = append(bad, &Problem{Msg: err.Error(), Err: err})
	} else if d.Records == 0 && bad == nil {
		return nil, src.Empty(ctx, q.Zone)
	}
	if len(q.Exprs) == 0 {
		d.Metrics = slices.DeleteFunc(d.Metrics, func(m *summary.Metric) bool { return m.Empty() })
	}
	d.nameInstances(ctx, src)
	if bad == nil {
		return d, nil
	}
	return d, bad
}

// add adds the expressions, or all metrics, to the summary. The Problems are those of expressions that
// are wrong.
func (d *Digest) add(ctx context.Context, src *Source, defs *Dictionary, q *Query) (bad Problems, err error) {
	wanted := q.Exprs
	if len(wanted) == 0 {
		all := src.Bind(defs, true).Derived
		if err := all.WalkNames(ctx, "", func(name string) bool { wanted = append(wanted, name); return true }); err != nil {
			return nil, err
		}
		slices.Sort(wanted)
	}
	b, list, err := src.expressions(ctx, defs, wanted, true)
	if err != nil {
		return nil, err
	}
	compiled, errs, err := b.compileAll(ctx, list)
	if err != nil {
		return nil, err
	}
	for i, x := range list {
		e, err := compiled[i], errs[i]
		p, wrong := errors.AsType[*Problem](err)
		if err == nil && !e.Info.Root.Type.Arithmetic() {
			p, wrong = Problemf("the values of %s are not numbers: %s", x.name, Metadata(e.Info.Root)), true
		}
		switch {
		case wrong && !slices.Contains(q.Exprs, x.text) && x.name == x.text:
			// It is only one of the metrics below a name.
		case wrong:
			bad = append(bad, p)
		case err != nil:
			return nil, err
		case e.Rate != nil && !q.Raw:
			m := d.Add(x.name, e.Change, e.Rate, true)
			m.Fixed = rescaled(e.Tree)
			counter := e.Info.Root.Desc(pcp.NullID)
			m.Counter = &counter
		default:
			d.Add(x.name, e.Tree, e.Info, changes(e.Tree)).Fixed = rescaled(e.Tree)
		}
	}
	return bad, nil
}

// choose lets metrics have the values that are wanted.
func (d *Digest) choose(ctx context.Context, src *Source, q *Query) {
	if q.Select.Wanted == nil {
		return
	}
	namer := NewInstanceNamer(src)
	for _, m := range d.Metrics {
		wanted := q.Select.Wanted(m.Name)
		if wanted == nil {
			continue
		}
		dom := m.Desc.InDom
		m.Wanted = func(at pcp.Timestamp, inst int32, value float64) bool {
			name := ""
			if dom != pcp.NullInDom {
				name = namer.Name(ctx, dom, inst, at)
			}
			return wanted(name, value)
		}
	}
}

// changes reports whether an expression has values of the time between two samples.
func changes(x syntax.Expr) (found bool) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			found = found || call.Fun == syntax.RATE || call.Fun == syntax.DELTA
		}
		return !found
	})
	return found
}

// read hands the records of a window, or live samples, to the summary.
func (d *Digest) read(ctx context.Context, src *Source, q *Query) error {
	t, req := q.Times, &pmapi.Request{}
	if src.Line == nil {
		t.Interval = cmp.Or(t.Interval, q.Interval, DefaultInterval)
		req.IDs = d.Operands()
		slices.Sort(req.IDs)
	} else {
		t.Interval, t.Delay, t.Marks = 0, false, true
		t.End = pcp.Timestamp{} // what lasts beyond the end ends there
	}
	in := insts.New(src.Source)
	var last pcp.Timestamp
	defer func() { d.End(last) }()
	for f, err := range sampling.Fetches(ctx, src.Source, req, &t) {
		switch {
		case err != nil && src.Line == nil && ctx.Err() != nil && d.Records > 0:
			return nil // that is how it ends
		case err != nil:
			return err
		case src.Line != nil && q.Times.End != (pcp.Timestamp{}) && f.Time.Compare(q.Times.End) > 0:
			last = q.Times.End
			return nil
		case f.Mark:
			d.Mark(f.Time)
			continue
		}
		last = f.Time
		in.Begin(ctx, f.Time)
		if d.Record(&f.Result, in); d.Past > maxPast {
			return errPast
		}
		if src.Line == nil && d.Records == 1 {
			d.nameInstances(ctx, src) // some may be gone at the end
		}
	}
	return nil
}

// InstanceName returns the name that an instance has, or its number.
func (d *Digest) InstanceName(dom pcp.InDom, inst int32) string {
	if name, ok := d.Names[dom][inst]; ok {
		return name
	}
	return Number(inst)
}

// nameInstances finds the names of the instances, if there is a summary of each.
func (d *Digest) nameInstances(ctx context.Context, src *Source) {
	asked := make(map[pcp.InDom]bool)
	for _, m := range d.Metrics {
		dom := m.Desc.InDom
		if !d.instances || dom == pcp.NullInDom || asked[dom] {
			continue
		}
		asked[dom] = true
		list, _ := src.AllInstances(ctx, dom) // numbers stand for names that are not known
		if d.Names[dom] == nil {
			d.Names[dom] = make(map[int32]string, len(list))
		}
		for _, in := range list {
			d.Names[dom][in.ID] = in.Name
		}
	}
}
