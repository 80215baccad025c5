package derive

import (
	"context"
	"errors"

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
	// Warn gets each metric of the Registry that does not fit the metrics below, once, with the line for
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

// A Source is a pmapi.Source together with derived metrics: those of a Registry and its own. A
// metric of the Source below hides a derived one of the same name, and one of the Source's own
// hides one of the Registry.
type Source struct {
	base     pmapi.Source
	reg      *Registry
	opt      Options
	handle   int  // number of the Source
	recorded bool // the base has a past
	alone    bool // the base has names and nothing else
	limit    int  // of own definitions, -1 for none
	closed   bool
	catalog
	insts   *insts.Instances
	plan    fetchPlan
	nesting *nesting // nil unless Options.Nested
}

// A catalog is the metrics that a Source knows, with those that are not visible.
type catalog struct {
	metrics []*metric          // in the order in which they became known, without removed ones
	globals []*metric          // by number
	locals  []*metric          // by localNumber
	byName  map[string]*metric // the visible one of each name
	known   int                // how many there ever were
	removed int                // how many removals of the Registry have been seen
	changes int                // counts changes of the lists
}

var (
	_ pmapi.Source      = (*Source)(nil)
	_ pmapi.Wrapper     = (*Source)(nil)
	_ pmapi.Batcher     = (*Source)(nil)
	_ pmapi.Reconnecter = (*Source)(nil)
)

// A binding is how far a metric has got in a Source.
type binding uint8

const (
	unbound binding = iota
	inProgress
	masked  // the Source below has a metric of that name
	invalid // see metric.err
	valid
	removed // see Registry.Unregister
)

type metric struct {
	*definition
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

// NewSource returns base with the derived metrics of reg, which may be nil and may get more metrics
// later.
func NewSource(base pmapi.Source, reg *Registry, opt *Options) *Source {
	if reg == nil {
		reg = NewRegistry(nil)
	}
	s := &Source{base: base, reg: reg, limit: -1, catalog: catalog{byName: make(map[string]*metric)}}
	if opt != nil {
		s.opt = *opt
	}
	if s.opt.Nested {
		s.nesting = new(nesting)
	}
	if s.opt.Warn == nil {
		s.opt.Warn = func(_, line string) { reg.warn(line) }
	}
	_, s.recorded = pmapi.As[pmapi.Timeline](base)
	s.insts = insts.New(base)
	_, err := base.Describe(context.Background(), nil)
	s.alone = errors.Is(err, pmerr.NoContext)
	s.handle = reg.opened()
	_ = s.sync() // it is not closed
	if o := reg.Observer(); o != nil {
		o.Opened(s.state())
	}
	return s
}

// Unwrap returns the Source below.
func (s *Source) Unwrap() pmapi.Source { return s.base }

// Close closes the Source below.
func (s *Source) Close() error {
	if !s.closed {
		s.reg.closed(s)
		s.closed = true
		if o := s.reg.Observer(); o != nil {
			o.Closed(s.state())
		}
	}
	return s.base.Close()
}

// Store changes metrics of the Source below. Derived ones cannot be changed: it refuses them.
func (s *Source) Store(ctx context.Context, sets []pcp.Values) error { return s.base.Store(ctx, sets) }

// Host returns the host of the Source below.
func (s *Source) Host() (name, zone string) { return s.base.Host() }

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
	if err := s.sync(); err != nil {
		return err
	}
	m, err := s.define(name, expr)
	if o := s.reg.Observer(); o != nil {
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
	switch old := s.byName[name]; {
	case !s.opt.AnyName && !syntax.LegalName(name):
		wrong = badName(name)
	case old != nil && old.local:
		wrong = "Duplicate per-context derived metric name"
	case s.limit >= 0 && len(s.locals) >= s.limit:
		wrong = "Too many per-context derived metrics"
	case len(s.locals) >= maxMetrics:
		wrong = "per-context PMID space exhausted"
	}
	if wrong != "" {
		return nil, &refusal{name: name, expr: expr, local: true, early: true, err: &syntax.Error{Msg: wrong}}
	}
	p, err := s.reg.Compile(name, expr)
	if bad, ok := errors.AsType[*refusal](err); ok {
		bad.local = true
		return nil, bad
	}
	return s.insert(p), nil
}

func (s *Source) insert(p *Definition) *metric {
	m := &metric{definition: &definition{Definition: p, id: localID(len(s.locals))}, local: true}
	s.locals = append(s.locals, m)
	s.append(m)
	if p.name != "" {
		s.byName[p.name] = m
		s.reg.added(p.name)
	}
	return m
}

// Limit returns what SetLimit has set.
func (s *Source) Limit() int { return s.limit }

func (s *Source) append(m *metric) {
	m.number = s.known
	s.known++
	s.changes++
	s.metrics = append(s.metrics, m)
	if m.name != "" {
		s.nesting.forget()
	}
}

// sync applies the definitions and removals that the Registry has had since the last call. The error
// is pmerr.NoContext if the Source is closed.
func (s *Source) sync() error {
	if s.closed {
		return pmerr.NoContext
	}
	defs, removals := s.reg.news(len(s.globals), s.removed)
	s.removed += len(removals)
	take := func(n int) {
		for _, d := range defs[:n] {
			m := &metric{definition: d}
			s.globals = append(s.globals, m)
			s.append(m)
			if s.byName[d.name] == nil {
				s.byName[d.name] = m
			}
		}
		defs = defs[n:]
	}
	for _, r := range removals {
		take(max(r.defs-len(s.globals), 0)) // a removal is for the definitions before it, not for later ones of the name
		s.remove(r.name)
	}
	take(len(defs))
	return nil
}

func (s *Source) globalNamed(name string) *metric {
	if d := s.reg.find(name); d != nil && number(d.id) < len(s.globals) {
		return s.globals[number(d.id)]
	}
	return nil
}

// visible reports whether no other derived metric hides m.
func (c *catalog) visible(m *metric) bool { return m.name == "" || c.byName[m.name] == m }

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
		return c.globals[n]
	} else if n := localNumber(id); n < len(c.locals) {
		return c.locals[n]
	}
	return nil
}

// Reconnect makes the Source below connect anew if it can, and does nothing otherwise. All metrics
// are bound again afterwards, and have no history.
func (s *Source) Reconnect(ctx context.Context) error {
	if s.closed {
		return pmerr.NoContext
	}
	r, ok := pmapi.As[pmapi.Reconnecter](s.base)
	if !ok {
		return nil
	}
	if err := r.Reconnect(ctx); err != nil {
		return err
	}
	for _, m := range s.metrics {
		if m.state != removed {
			*m = metric{definition: m.definition, number: m.number, local: m.local}
		}
	}
	s.plan = fetchPlan{}
	s.changes++
	s.nesting.forget()
	s.insts.Domains().Groups().Forget()
	return nil
}
