// Package summary puts the records of a recording, or samples of a live source, together to a few numbers
// for each expression: how many samples there are, the smallest and the largest, the mean over time, quantiles.
//
// [Summarize] reads each record once; the memory that it needs depends on the metrics and instances, not on
// the records. [Order] chooses and sorts the rows of a [Summary], [Compare] finds what differs between two.
package summary

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/internal/insts"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// Options select the values to summarize.
type Options struct {
	// Exprs are expressions, as those of a query.Query, or names with metrics below them. Without any all
	// metrics are taken that have numbers as values.
	Exprs []string
	// Times are those of the samples. A recording is read record by record, whatever the interval is.
	Times sampling.Times
	Raw   bool // counters are not converted to rates
	// Wanted returns which values of an expression count, by its name: nil for all of them. A nil Wanted wants all.
	Wanted func(name string) func(instance string, value float64) bool
	// During says at which times values count, but for those of discrete metrics, which are recorded when they change.
	// Nil is for all times.
	During    func(at pcp.Timestamp) bool
	Instances bool // there are rows of each instance
	Compared  bool // the rows have what Compare needs
	// Quantiles are those of Figures.Quantiles, in ascending order; these and P50, P95 and P99 have the same cost.
	Quantiles []Quantile
	// Every is the length of the intervals that have rows of their own each; 0 for the whole time. They begin
	// at multiples of it on the clock of Zone, counted from the midnight of 1970-01-01, and where the clock is
	// changed to another multiple.
	Every time.Duration
	Zone  *time.Location // nil means UTC
}

// A Summary has the figures of a window of a recording, or of samples of a live source.
type Summary struct {
	Rows    []Row // interval by interval: each metric, and after it its instances
	Records int   // how many had a metric
	Marks   int   // how often recording was interrupted
	First   pcp.Timestamp
	Last    pcp.Timestamp // both of the records
	Err     error         // why some expressions, or the rest of the records, are missing
}

// A Metric is an expression that is summarized.
type Metric struct {
	Name    string
	Desc    pcp.Desc  // of the values
	Counter *pcp.Desc // of the counter if the values are its rate, else nil
	Fixed   bool      // the expression says in which units the values are
}

// A Row is the summary of a metric, or of one of its instances.
type Row struct {
	*Metric
	*Figures
	Host     string // for the caller
	Instance string // its name, or else its number; "" for all of them
	ID       int32
	One      bool          // it is that of one instance
	Above    bool          // those of instances follow
	From, To pcp.Timestamp // of the interval, if there are several
}

// maxPast bounds the memory for finished intervals.
const maxPast = 1 << 20

var errPast = query.Problemf("intervals are so many that they have more than %d rows; choose longer ones, fewer metrics, or a shorter time", maxPast)

// Summarize summarizes expressions over the times of the options, record by record. A live source is sampled
// at an interval until the times end, or ctx does after the first sample. A Summary lacks what its Err tells;
// there is none if nothing could be summarized.
func Summarize(ctx context.Context, src *query.Source, defs *derive.Set, opt *Options) (*Summary, error) {
	if src == nil || src.Source == nil {
		return nil, pmerr.NoContext
	}
	r := newRecorder(cmp.Or(opt, new(Options)))
	bad, err := r.compile(ctx, src, defs)
	if err != nil {
		return nil, err
	}
	known := make(names)
	if err = r.read(ctx, src, known); err == errPast {
		return nil, err
	} else if err != nil {
		bad = append(bad, diagnose.From(err))
	} else if r.Records == 0 && bad == nil {
		return nil, src.Empty(ctx, opt.Zone)
	}
	if len(opt.Exprs) == 0 {
		r.metrics = slices.DeleteFunc(r.metrics, func(m *metric) bool {
			return !slices.ContainsFunc(m.rows, func(row Row) bool { return row.Samples > 0 })
		})
	}
	if len(r.metrics) == 0 && bad != nil {
		return nil, errors.Join(bad...)
	}
	r.learn(ctx, src, known)
	s := r.finish(known.of)
	s.Err = errors.Join(bad...)
	return s, nil
}

// compile adds the expressions, or all metrics. Bad has a *diagnose.Problem of each that is wrong.
func (r *recorder) compile(ctx context.Context, src *query.Source, defs *derive.Set) (bad []error, err error) {
	wanted := r.opt.Exprs
	if len(wanted) == 0 {
		if wanted, err = pmapi.Leaves(ctx, src.Bind(defs, true).Derived, ""); err != nil {
			return nil, err
		}
		slices.Sort(wanted)
	}
	list, err := src.Compile(ctx, defs, wanted)
	if err != nil {
		return nil, err
	}
	namer := query.NewInstanceNamer(src)
	for _, x := range list {
		e := x.Expr
		p, wrong := errors.AsType[*diagnose.Problem](x.Err)
		if x.Err == nil && !e.Info.Root.Type.Arithmetic() {
			p, wrong = query.Problemf("the values of %s are not numbers: %s", x.Name, diagnose.Metadata(e.Info.Root)), true
		}
		var m *metric
		switch {
		case wrong && !slices.Contains(r.opt.Exprs, x.Text) && x.Name == x.Text:
			continue // it is only one of the metrics below a name
		case wrong:
			bad = append(bad, p)
			continue
		case x.Err != nil:
			return nil, x.Err
		case e.Rate != nil && !r.opt.Raw:
			m = r.add(x.Name, e.Change, e.Rate, true)
			counter := e.Info.Root.Desc(pcp.NullID)
			m.Counter = &counter
		default:
			m = r.add(x.Name, e.Tree, e.Info, e.Changes())
		}
		if m.Fixed = e.Fixed(); r.opt.Wanted != nil {
			m.wanted = wantedBy(ctx, namer, m.Desc.InDom, r.opt.Wanted(x.Name))
		}
		if m.Desc.Sem != pcp.Discrete {
			m.during = r.opt.During
		}
	}
	return bad, nil
}

// wantedBy returns which values of an instance domain count, from a function of the names of instances.
func wantedBy(ctx context.Context, namer *query.InstanceNamer, dom pcp.InDom, named func(string, float64) bool) func(pcp.Timestamp, int32, float64) bool {
	if named == nil {
		return nil
	}
	return func(at pcp.Timestamp, inst int32, value float64) bool {
		name := ""
		if dom != pcp.NullInDom {
			name = namer.Name(ctx, dom, inst, at)
		}
		return named(name, value)
	}
}

// read records the records of a window, or live samples.
func (r *recorder) read(ctx context.Context, src *query.Source, known names) error {
	t, req := r.opt.Times, &pmapi.Request{}
	if src.Line == nil {
		if t.Interval == 0 {
			t.Interval = query.DefaultInterval
		}
		req.IDs = slices.Sorted(maps.Keys(r.users))
	} else {
		t.Interval, t.Delay, req.Records = 0, false, true
		t.End = pcp.Timestamp{} // what lasts beyond the end ends there
	}
	in := insts.New(src.Source)
	var last pcp.Timestamp
	defer func() { r.end(last) }()
	for f, err := range sampling.Fetches(ctx, src.Source, req, &t) {
		end := r.opt.Times.End
		switch {
		case err != nil && src.Line == nil && ctx.Err() != nil && r.Records > 0:
			return nil // that is how it ends
		case err != nil:
			return err
		case src.Line != nil && end != (pcp.Timestamp{}) && f.Time.Compare(end) > 0:
			last = end
			return nil
		case f.Gap:
			r.mark(f.Time)
			continue
		}
		last = f.Time
		in.Begin(ctx, f.Time)
		if r.record(f, in); r.past > maxPast {
			return errPast
		}
		if src.Line == nil && r.Records == 1 {
			r.learn(ctx, src, known) // some may be gone at the end
		}
	}
	return nil
}

// names are those of instances.
type names map[pcp.InDom]map[int32]string

// of returns the name that an instance has, or its number.
func (n names) of(dom pcp.InDom, inst int32) string {
	if name, ok := n[dom][inst]; ok {
		return name
	}
	return query.Number(inst)
}

// learn adds the names that instances have now, if there are rows of each.
func (r *recorder) learn(ctx context.Context, src *query.Source, known names) {
	asked := make(map[pcp.InDom]bool)
	for _, m := range r.metrics {
		dom := m.Desc.InDom
		if !r.opt.Instances || dom == pcp.NullInDom || asked[dom] {
			continue
		}
		asked[dom] = true
		list, _ := pmapi.InstancesOf(ctx, src, dom, pmapi.Ever()) // numbers stand for names that are not known
		if known[dom] == nil {
			known[dom] = make(map[int32]string, len(list))
		}
		for _, in := range list {
			known[dom][in.ID] = in.Name
		}
	}
}
