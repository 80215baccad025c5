// Package query turns expressions over sources of metrics into one stream of samples.
//
// [Eval] returns the values of one expression, [Over] samples in time. A [Query] selects expressions, times and values. [Run] draws its samples from one [Source], which is live
// or recorded, [Fleet.Run] from several hosts at once. Both return a [Stream]: what the samples have in common, and an iterator over them. Whatever shows, sends or writes
// values of expressions consumes such a stream.
//
// Expressions may mention the definitions of a [derive.Set]. A [Binder] checks them against a source.
package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// DefaultInterval is the time between live samples if a query does not tell.
const DefaultInterval = time.Second

// A Query says what samples are wanted.
type Query struct {
	// Exprs are expressions. An expression may be written NAME = EXPR; the others may use that name.
	Exprs []string
	// Expand makes a name that has metrics below it stand for them.
	Expand bool
	// Once asks for one sample at the position of the source; Times is not used then.
	Once bool
	// Step makes Once interpolate the values of a recording at steps from the position on: it yields the first of
	// a few samples in which all expressions have values, or else the last of these. 0 stands for the step of the
	// source, and the sample at the position.
	Step  time.Duration
	Times sampling.Times
	// Interval is the time between live samples if Times has none; 0 stands for DefaultInterval.
	Interval time.Duration
	Select   Selection
	Raw      bool // counters are not converted to rates
	Gaps     bool // samples say whether recording was interrupted before them
	// Zone and Source are for the Header.
	Zone   *time.Location
	Source sampling.Source
	// Across puts the values of several hosts together: sum, avg, min, max, count, top N, bottom N. ""
	// leaves them apart.
	Across string
	// Watcher follows several hosts; nil for none.
	Watcher Watcher
}

// A Stream is the samples of a query.
type Stream struct {
	// Header is what the samples have in common. Over several hosts it is nil until there is a sample.
	Header *sampling.Header
	// Exprs are the expressions as they were checked; nil over several hosts.
	Exprs []*Expr
	// Err joins the errors of the expressions that are not evaluated, each a *diagnose.Problem.
	Err error
	// Samples yields the samples. Each of them is overwritten by the next one. An error is the last
	// thing that is yielded. It may be ranged over once.
	Samples iter.Seq2[*sampling.Sample, error]

	once    bool   // there is one sample
	records bool   // the samples are records
	seen    []bool // which expressions have had values, or an error other than that of missing ones
}

// Scattered returns the names of the expressions that had no values in any sample, because their
// metrics are in different records of a recording.
func (s *Stream) Scattered() (names []string) {
	for i, e := range s.Exprs {
		if s.records && !s.seen[i] && len(e.Info.Operands) > 1 {
			names = append(names, e.Name)
		}
	}
	return names
}

// A plan is expressions that are fetched together.
type plan struct {
	*Query
	src     *Source
	derived pmapi.Source // over src
	exprs   []*Expr
	wrong   []error // of the expressions that are not among these
	request pmapi.Request
	where   *Expr // see Selection; nil for none
	units   conversion
}

// Run returns the samples of expressions over a source. Expressions that are wrong do not keep the
// others from being evaluated: they are in the Err of the Stream. If all are wrong there is no Stream.
//
// Without definitions defs may be nil. Without a source the error is pmerr.NoContext.
func Run(ctx context.Context, src *Source, defs *derive.Set, q *Query) (*Stream, error) {
	if src == nil || src.Source == nil {
		return nil, pmerr.NoContext
	}
	q = cmp.Or(q, new(Query))
	p, err := prepare(ctx, src, defs, q)
	if err != nil {
		return nil, err
	}
	st := &Stream{Err: errors.Join(p.wrong...), once: q.Once, Header: p.header(), Exprs: p.exprs, seen: make([]bool, len(p.exprs))}
	st.records = src.Line != nil && p.times().Interval == 0
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		p.samples(ctx, func(smp *sampling.Sample, err error) bool {
			for i := range st.seen {
				st.seen[i] = st.seen[i] || err != nil || smp.Sets[i].Len() > 0 || smp.Sets[i].Err != nil && !errors.Is(smp.Sets[i].Err, pmerr.Value)
			}
			return yield(smp, err)
		})
	}
	return st, nil
}

// prepare makes a plan, with errors as those of Run.
func prepare(ctx context.Context, src *Source, defs *derive.Set, q *Query) (*plan, error) {
	if src.Line != nil {
		defer func(step time.Duration) { src.Step = step }(src.Step)
		if src.Step = cmp.Or(q.Step, src.Step); !q.Once {
			src.Step = q.Times.Interval
		}
	}
	b, named, err := src.expressions(ctx, cmp.Or(defs, new(derive.Set)), q.Exprs, q.Expand)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return nil, Problemf("there is no expression")
	}
	p := &plan{Query: q, src: src, derived: b.Derived, request: pmapi.Request{Gaps: q.Gaps}}
	converted := q.Select.Units == ""
	if !converted {
		if p.units, err = parseUnits(q.Select.Units); err != nil {
			return nil, err
		}
	}
	for i := 0; i < len(named) && q.Select.Units != ""; i++ {
		x := &named[i]
		if text := p.units.apply(ctx, b, x.Text); text != x.Text {
			x.Text, x.definition, x.converted, converted = text, nil, true, true
		}
	}
	compile := b.compileAll
	if q.Raw && q.Select.Units == "" { // nobody asks for rates
		compile = b.checkAll
	}
	if err := compile(ctx, named); err != nil {
		return nil, err
	}
	for _, x := range named {
		if x.Err == nil {
			x.Err = b.instanceError(ctx, x.Text, x.Expr)
		}
		if x.Err == nil {
			x.Expr.converted = x.converted
			p.add(x.Expr)
		} else {
			p.wrong = append(p.wrong, x.Err)
		}
	}
	if len(p.exprs) == 0 {
		return nil, errors.Join(p.wrong...)
	}
	if !converted {
		return nil, p.unitsProblem()
	}
	if wrong := p.selectionProblem(ctx); wrong != nil {
		return nil, wrong
	}
	if p.where, err = b.where(ctx, q.Select.Where); err != nil {
		return nil, err
	}
	if p.where != nil {
		p.where.column = p.column(p.where.id)
	}
	return p, nil
}

// add adds an expression, and its rate if that is wanted.
func (p *plan) add(e *Expr) {
	p.exprs = append(p.exprs, e)
	e.column = p.column(e.id)
	if p.rate(e) {
		e.rateColumn = p.column(e.rateID)
	}
}

// column adds a metric to the request and returns its place.
func (p *plan) column(id pcp.ID) int {
	p.request.IDs = append(p.request.IDs, id)
	return len(p.request.IDs) - 1
}

// rate reports whether the rate of an expression stands for its values.
func (p *plan) rate(e *Expr) bool { return e.Rate != nil && !p.Raw }

// header returns what the samples have in common.
func (p *plan) header() *sampling.Header {
	h := &sampling.Header{Source: p.Source, Zone: p.Zone, Live: p.src.Line == nil, Start: p.Times.Start, End: p.Times.End, Interval: p.Times.Interval, Samples: p.Times.Samples}
	switch {
	case p.Once:
		h.Start, h.End, h.Interval, h.Samples = pcp.Timestamp{}, pcp.Timestamp{}, 0, 1
	case h.Samples == 0:
		h.Samples = -1
	}
	h.Instances = func(ctx context.Context, metric int) ([]pcp.Instance, error) {
		list, err := pmapi.InstancesOf(ctx, p.derived, h.Metrics[metric].Desc.InDom, pmapi.Ever())
		return slices.DeleteFunc(slices.Clone(list), func(in pcp.Instance) bool { return !p.Select.selects(in.Name) }), err
	}
	for _, e := range p.exprs {
		m := sampling.Metric{Name: e.Name, Desc: e.Info.Root.Desc(pcp.NullID), Fixed: e.Fixed(), Labels: e.Info.Groups[e.Info.Root.InDom].Labels}
		if p.rate(e) {
			counter := m.Desc
			m.Desc, m.Counter = e.Rate.Root.Desc(pcp.NullID), &counter
		}
		if e.converted && p.units.label != "" {
			m.Desc.Units, m.Unit = pcp.Units{}, p.units.label // PCP has no bits
			if p.rate(e) {
				m.Unit += "/s"
			}
		}
		h.Metrics = append(h.Metrics, m)
	}
	return h
}

// Fixed reports whether an expression says in which units its values are.
func (e *Expr) Fixed() bool {
	x := e.Tree
	for {
		switch y := x.(type) {
		case *syntax.ParenExpr:
			x = y.X
		case *syntax.NestExpr:
			x = y.X
		default:
			_, ok := x.(*syntax.RescaleExpr)
			return ok
		}
	}
}

// Changes reports whether the values are those of the time since the sample before: they come from rate() or delta().
func (e *Expr) Changes() (found bool) {
	syntax.Walk(e.Tree, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			found = found || call.Fun == "rate" || call.Fun == "delta"
		}
		return !found
	})
	return found
}

// depth returns how many samples there must be before the first one that has all values.
func (p *plan) depth() int {
	n := 0
	if p.where != nil {
		n = p.where.Depth
	}
	for _, e := range p.exprs {
		d := e.Depth
		if p.rate(e) {
			d++
		}
		n = max(n, d)
	}
	return n
}

// times returns when the source is fetched: the samples that later ones need come before the others.
func (p *plan) times() *sampling.Times {
	t := p.Times
	if p.Once {
		t = sampling.Times{Start: p.src.At, Interval: cmp.Or(p.Step, p.src.Step), Samples: 1}
		if p.Step > 0 {
			t.Samples = mostSteps
		}
	}
	if p.src.Line == nil {
		t.Interval = cmp.Or(p.Times.Interval, p.Interval, DefaultInterval)
	}
	if t.Samples > 0 {
		t.Samples += p.depth()
	}
	return &t
}

// mostSteps is after how many steps of Query.Step a sample is yielded whatever it lacks: loggers record all metrics within seconds.
const mostSteps = 10

// samples yields the samples.
func (p *plan) samples(ctx context.Context, yield func(*sampling.Sample, error) bool) {
	t := newSampler(p)
	depth := p.depth()
	fetched, written := 0, 0
	var last *sampling.Sample // of those that Query.Step has passed
	var before pcp.Timestamp
	times := p.times()
	for f, err := range sampling.Fetches(ctx, p.derived, &p.request, times) {
		if err != nil {
			yield(nil, err)
			return
		}
		t.smp.Since, before = before, f.Time
		if fetched++; fetched <= depth {
			continue
		}
		smp, err := t.take(ctx, f)
		if err != nil {
			yield(nil, &sampling.IdleError{Err: err})
			return
		}
		if smp != nil && p.Once && p.Step > 0 && fetched < times.Samples && !smp.Full() {
			if last, err = new(sampling.Copier).Copy(ctx, smp); err != nil {
				yield(nil, err)
				return
			}
			continue
		}
		if smp != nil {
			if !yield(smp, nil) {
				return
			}
			if written++; p.Once || written == p.Select.Limit {
				return
			}
		}
	}
	if last != nil {
		yield(last, nil)
	}
	if fetched <= depth {
		yield(nil, p.tooFew(ctx, fetched, depth+1))
	}
}

// tooFew returns the error for a window that has too few samples for any values.
func (p *plan) tooFew(ctx context.Context, have, need int) *diagnose.Problem {
	if p.Once {
		return Problemf("the recording ends before the %s that this needs", textwidth.Plural(need, "sample"))
	}
	bad := p.src.Empty(ctx, p.Zone)
	if p.src.Line != nil && p.Times.Interval == 0 {
		bad.Notes = append(bad.Notes, "these are records; with an interval, values between them are interpolated")
	}
	if have > 0 {
		bad.Msg = fmt.Sprintf("there is only %s in that time, and this needs %d", textwidth.Plural(have, "sample"), need)
	}
	return bad
}

// expressions names expressions, those below inner names among them if these are to be expanded, and
// adds definitions among the expressions to defs. It returns the Binder for them all.
func (s *Source) expressions(ctx context.Context, defs *derive.Set, exprs []string, expand bool) (*Binder, []Compiled, error) {
	if expand {
		var err error
		if exprs, err = s.expand(ctx, defs, exprs); err != nil {
			return nil, nil, err
		}
	}
	list := make([]Compiled, len(exprs))
	for i, text := range exprs {
		list[i] = Compiled{Text: text, Name: text}
		name, expr, ok := CutDefinition(text)
		if !ok {
			continue
		}
		list[i].Text, list[i].Name = expr, name
		p, err := defs.Compile(name, expr)
		list[i].definition = p
		if err == nil && literal(p) && s.measures(ctx, name) {
			return nil, nil, &diagnose.Problem{
				Msg: name + " is a metric of the source, which hides a definition of that name", Src: text, Pos: strings.IndexByte(text, '='),
				Notes: []string{"write " + name + " == " + expr},
			}
		}
		// If an expression contains its own name, the name has its earlier meaning.
		if err == nil && LegalName(name) && (defs.Find(name) == nil || !slices.Contains(p.Metrics(), name)) {
			defs = defs.With(p)
		}
	}
	return s.Bind(defs, true), list, nil
}

// literal reports whether a definition is a number.
func literal(p *derive.Definition) bool {
	switch syntax.Unparen(p.Expr()).(type) {
	case *syntax.IntLit, *syntax.FloatLit:
		return true
	}
	return false
}

// measures reports whether the source has a metric of a name. An error is one that has not.
func (s *Source) measures(ctx context.Context, name string) bool {
	found, err := s.Lookup(ctx, []string{name})
	return err == nil && found[0].Err == nil
}
