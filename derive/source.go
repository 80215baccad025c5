package derive

import (
	"context"
	"errors"
	"iter"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/internal/insts"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Options configure a Source. The zero Options, and nil, are the default.
type Options struct {
	// Warn gets each global metric that does not fit the metrics below, once, with the line for
	// the user, without a newline at its end. Nil hands the line to what NewRegistry was given.
	Warn func(metric, line string)
	// Equivalent reports whether operators may combine two different instance domains, see
	// check.InDomMap. Nil means that they may not.
	Equivalent func(a, b pcp.InDom) bool
	// Nested lets a derived metric be an operand of another, which the language forbids: its
	// expression takes the place of its name, see package expand.
	Nested bool
	// AnyName lets Add take names that no file may define, as pmAddDerivedMetric does.
	AnyName bool
	// Records means that the Source below reads record by record: a record that has none of a
	// metric's operands is none of its samples, whatever else is fetched.
	Records bool
	// Clock means that rate() has no values in the first sample after the clock of a live Source has been set: where it has gone back, or
	// on by another time than has passed here. The language of PCP divides by such times.
	Clock bool
}

// A Source is a pmapi.Source together with derived metrics: those of a Set and its own. A
// metric of the Source below hides a derived one of the same name, and one of the Source's own
// hides a global one. [NewSource] makes one; the zero Source is like one that has been closed, whose
// methods fail with pmerr.NoContext.
type Source struct {
	base     pmapi.Source
	opt      Options
	handle   int  // number of the Source
	recorded bool // the base has a past
	alone    bool // the base has names and nothing else
	limit    int  // of own definitions, -1 for none
	opened   bool // neither zero nor closed
	catalog
	insts   *insts.Instances
	plan    fetchPlan
	nesting *nesting // nil unless Options.Nested
}

// A catalog is the metrics that a Source knows, with those that are not visible.
type catalog struct {
	set     *Set
	globals []metric           // by number: those that the Set has read
	locals  []*metric          // by localNumber
	own     map[string]*metric // of locals, by name
	changes int                // counts changes of locals
}

var (
	_ pmapi.Source  = (*Source)(nil)
	_ pmapi.Wrapper = (*Source)(nil)
	_ pmapi.Live    = (*Source)(nil)
)

// A binding is how far a metric has got in a Source.
type binding uint8

const (
	unbound binding = iota
	inProgress
	masked  // the Source below has a metric of that name
	invalid // see metric.err
	valid
	removed // by Source.Remove
)

type metric struct {
	*Definition
	id     pcp.ID
	number int // in the Source
	local  bool
	state  binding
	err    error // why it is invalid
	desc   pcp.Desc
	tree   syntax.Expr // that info describes; nil if definitions cannot be nested in it
	info   *check.Info
	alias  bool        // it is nothing but another derived metric, and so has no values
	eval   *eval.State // nil until it is fetched
}

// NewSource returns base with the derived metrics of a Set, nil for an empty one. Without a base there are
// their names and nothing else.
func NewSource(base pmapi.Source, set *Set, opt *Options) *Source {
	if set == nil {
		set = new(Set)
	}
	if set.reg == nil {
		set = NewSet().Replace(set.own.list)
	}
	if base == nil {
		base = pmapi.Over(nil).Source()
	}
	s := &Source{base: base, opened: true, limit: -1, catalog: catalog{set: set, globals: make([]metric, len(set.read.list)), own: make(map[string]*metric)}}
	for i, d := range set.read.list {
		s.globals[i] = metric{Definition: d, id: globalID(i), number: i}
	}
	if opt != nil {
		s.opt = *opt
	}
	if s.opt.Nested {
		s.nesting = new(nesting)
	}
	if s.opt.Warn == nil {
		s.opt.Warn = func(_, line string) { set.reg.warn(line) }
	}
	_, s.recorded = pmapi.As[pmapi.Timeline](base)
	s.insts = insts.New(base)
	_, err := base.Describe(context.Background(), nil)
	s.alone = errors.Is(err, pmerr.NoContext)
	s.handle = int(set.reg.sources.Add(1)) - 1
	if o := set.reg.Observer(); o != nil {
		o.Opened(s.state())
	}
	s.Define(set.own.list...)
	return s
}

// Unwrap returns the Source below.
func (s *Source) Unwrap() pmapi.Source { return s.base }

// Close closes the Source below.
func (s *Source) Close() error {
	if s.base == nil {
		return nil
	}
	if s.opened {
		s.opened = false
		if o := s.set.reg.Observer(); o != nil {
			o.Closed(s.state())
		}
	}
	return s.base.Close()
}

// Store changes metrics of the Source below. Derived ones cannot be changed: it refuses them.
func (s *Source) Store(ctx context.Context, sets []pcp.Values) error {
	if err := s.open(); err != nil {
		return err
	}
	return pmapi.Store(ctx, s.base, sets)
}

// Host returns the host of the Source below.
func (s *Source) Host() (name, zone string) {
	if s.base == nil {
		return "", ""
	}
	return s.base.Host()
}

// SetLimit sets how many metrics Add accepts (control CONTEXT_LIMIT). -1 means no limit; other
// values below 1 are pmerr.Arg.
func (s *Source) SetLimit(n int) error {
	if n != -1 && n <= 0 {
		return pmerr.Arg
	}
	s.limit = n
	return nil
}

// Add defines a metric for this Source and binds it at once (pmAddDerivedMetric). The error is a
// *diagnose.Problem for errors.As if the definition is wrong; one that parses but cannot be bound keeps its name until Remove.
func (s *Source) Add(ctx context.Context, name, expr string) error {
	if err := s.open(); err != nil {
		return err
	}
	m, err := s.define(name, expr)
	if o := s.set.reg.Observer(); o != nil {
		event := &Parsed{Source: s.state(), Name: name, Expr: expr, Err: err, Early: early(err), Metric: m.view(), Hidden: s.globalNamed(name).view()}
		o.Defined(event)
	}
	if err != nil {
		return err
	}
	e := s.newEnv(ctx, Added)
	if err := e.bindAll([]*metric{m}, nil); err != nil {
		return err
	}
	if m.state == invalid {
		return &refusal{name: name, expr: expr, local: true, err: m.err}
	}
	return nil
}

// define does the work of Add but for binding.
func (s *Source) define(name, expr string) (*metric, error) {
	var wrong string
	switch old := s.own[name]; {
	case !s.opt.AnyName && !syntax.LegalName(name):
		wrong = badName(name)
	case old != nil:
		wrong = "Duplicate per-context derived metric name"
	case s.limit >= 0 && len(s.locals) >= s.limit:
		wrong = "Too many per-context derived metrics"
	case len(s.locals) >= maxMetrics:
		wrong = "per-context PMID space exhausted"
	}
	if wrong != "" {
		return nil, &refusal{name: name, expr: expr, local: true, early: true, err: &syntax.Error{Msg: wrong}}
	}
	p, err := s.set.Compile(name, expr)
	if bad, ok := errors.AsType[*refusal](err); ok {
		bad.local = true
		return nil, bad
	}
	return s.insert(p), nil
}

func (s *Source) insert(d *Definition) *metric {
	m := &metric{Definition: d, id: localID(len(s.locals)), number: len(s.globals) + len(s.locals), local: true}
	s.locals = append(s.locals, m)
	s.changes++
	if d.name != "" {
		s.own[d.name] = m
		s.nesting.forget()
	}
	return m
}

// Remove removes the metric of that name that Add has defined, whether it could be bound or not; one
// of the Set becomes visible again. The error is pmerr.Name if there is none.
func (s *Source) Remove(name string) error {
	if err := s.open(); err != nil {
		return err
	}
	m := s.own[name]
	if m == nil {
		return pmerr.Name
	}
	m.state, m.eval = removed, nil
	delete(s.own, name)
	s.nesting.forget()
	s.changes++
	return nil
}

// Limit returns what SetLimit has set.
func (s *Source) Limit() int { return s.limit }

// open returns pmerr.NoContext if the Source is closed, or zero.
func (s *Source) open() error {
	if !s.opened {
		return pmerr.NoContext
	}
	return nil
}

// all yields the metrics in the order of their numbers, without removed ones.
func (c *catalog) all() iter.Seq[*metric] {
	return func(yield func(*metric) bool) {
		for i := range c.globals {
			if !yield(&c.globals[i]) {
				return
			}
		}
		for _, m := range c.locals {
			if m.state != removed && !yield(m) {
				return
			}
		}
	}
}

// named returns the metric that a name means, or nil.
func (c *catalog) named(name string) *metric {
	if m := c.own[name]; m != nil {
		return m
	}
	return c.globalNamed(name)
}

func (c *catalog) globalNamed(name string) *metric {
	if i, ok := c.set.read.index[name]; ok {
		return &c.globals[i]
	}
	return nil
}

// visible reports whether no other derived metric hides m.
func (c *catalog) visible(m *metric) bool { return m.name == "" || c.named(m.name) == m }

// byID returns the visible derived metric that id belongs to, or nil.
func (c *catalog) byID(id pcp.ID) *metric {
	if m := c.everByID(id); m != nil && c.visible(m) {
		return m
	}
	return nil
}

func (c *catalog) derived(ids []pcp.ID) []*metric {
	var list []*metric
	for _, id := range ids {
		if m := c.byID(id); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// fetchable is byID, but finds removed metrics too.
func (c *catalog) fetchable(id pcp.ID) *metric {
	if m := c.everByID(id); m != nil && (m.state == removed || c.visible(m)) {
		return m
	}
	return nil
}

// everByID returns the derived metric that has or had the identifier, visible or not.
func (c *catalog) everByID(id pcp.ID) *metric {
	if !id.IsDerived() {
		return nil
	}
	if n := number(id); n < len(c.globals) {
		return &c.globals[n]
	} else if n := localNumber(id); n < len(c.locals) {
		return c.locals[n]
	}
	return nil
}

// Reconnect makes the Source below connect again, and does nothing over a recording. All metrics are
// bound again afterwards, and have no history.
func (s *Source) Reconnect(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := pmapi.Reconnect(ctx, s.base); err != nil || s.recorded {
		return err
	}
	for m := range s.all() {
		*m = metric{Definition: m.Definition, id: m.id, number: m.number, local: m.local}
	}
	s.plan = fetchPlan{}
	s.changes++
	s.nesting.forget()
	s.insts.Domains().Groups().Forget()
	return nil
}
