package derive

import (
	"context"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Options are what a Source can be told. The zero Options, and nil, are the default.
type Options struct {
	// Warn gets each line for the user, without a newline at its end: a metric of the Registry that does not fit the
	// metrics below, once for each. Nil means what NewRegistry was given.
	Warn func(line string)
	// Equivalent tells which different instance domains operators may combine, see check.InDomMap. Nil means none.
	Equivalent func(a, b pcp.InDom) bool
}

// A Source is a pmapi.Source together with derived metrics: those of a Registry and its own. A metric of the Source below
// hides a derived one of the same name, and one of the Source's own hides one of the Registry.
type Source struct {
	base       pmapi.Source
	reg        *Registry
	warn       func(line string)
	equivalent func(a, b pcp.InDom) bool
	recorded   bool // the base has a past
	limit      int  // of own definitions, -1 for none

	metrics []*metric          // in the order in which they became known
	globals []*metric          // by number
	locals  []*metric          // by localNumber
	byName  map[string]*metric // the visible one of each name

	insts instances
	plan  fetchPlan
}

var (
	_ pmapi.Source  = (*Source)(nil)
	_ pmapi.Wrapper = (*Source)(nil)
	_ pmapi.Texter  = (*Source)(nil)
	_ pmapi.Labeler = (*Source)(nil)
)

// A binding is how far a metric has got in a Source.
type binding uint8

const (
	unbound binding = iota
	inProgress
	masked  // the Source below has a metric of that name
	invalid // see metric.err
	valid
)

// A metric is a definition in a Source.
type metric struct {
	*definition
	local bool
	state binding
	err   error // why it is invalid
	desc  pcp.Desc
	info  *check.Info
	alias bool // it is nothing but another derived metric, and so has no values
	eval  *eval.State
}

// NewSource returns base with the derived metrics of reg, which may be nil and may get more metrics later.
func NewSource(base pmapi.Source, reg *Registry, opt *Options) *Source {
	if reg == nil {
		reg = NewRegistry(nil)
	}
	s := &Source{base: base, reg: reg, warn: reg.warn, limit: -1, byName: make(map[string]*metric)}
	if opt != nil {
		s.equivalent = opt.Equivalent
		if opt.Warn != nil {
			s.warn = opt.Warn
		}
	}
	_, s.recorded = pmapi.As[pmapi.Timeline](base)
	s.insts.source = base
	s.insts.namer, _ = pmapi.As[pmapi.InstanceNamer](base)
	s.sync()
	return s
}

// Unwrap returns the Source below.
func (s *Source) Unwrap() pmapi.Source { return s.base }

// Close closes the Source below.
func (s *Source) Close() error { return s.base.Close() }

// Instances returns the instances of a domain. Derived metrics have no domains of their own.
func (s *Source) Instances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	return s.base.Instances(ctx, d)
}

// SetLimit says how many metrics Add takes, -1 for any number (control CONTEXT_LIMIT). Other values below 1 are pmerr.Arg.
func (s *Source) SetLimit(n int) error {
	if n != -1 && n <= 0 {
		return pmerr.Arg
	}
	s.limit = n
	return nil
}

// Add defines a metric for this Source and binds it at once (pmAddDerivedMetric). The error is an *Error if the definition
// is at fault; a definition that parses but cannot be bound keeps its name.
func (s *Source) Add(ctx context.Context, name, expr string) error {
	s.sync()
	var early string
	switch old := s.byName[name]; {
	case old != nil && old.local:
		early = "Duplicate per-context derived metric name"
	case s.limit >= 0 && len(s.locals) >= s.limit:
		early = "Too many per-context derived metrics"
	case len(s.locals) >= maxMetrics:
		early = "per-context PMID space exhausted"
	}
	if early != "" {
		return &Error{Name: name, Expr: expr, Local: true, Early: true, Err: &syntax.Error{Msg: early}, Code: badDerive}
	}
	e, err := parse(expr)
	if err != nil {
		return &Error{Name: name, Expr: expr, Local: true, Err: err, Code: badDerive}
	}
	m := &metric{definition: &definition{Program: &Program{name, expr, e}, id: localID(len(s.locals))}, local: true}
	s.locals = append(s.locals, m)
	s.metrics = append(s.metrics, m)
	s.byName[name] = m
	if err := s.bind(ctx, m); err != nil {
		return err
	}
	if m.state == invalid {
		return &Error{Name: name, Expr: expr, Local: true, Err: m.err, Code: badDerive}
	}
	return nil
}

// sync takes over what the Registry has got since the last time.
func (s *Source) sync() {
	for _, d := range s.reg.since(len(s.globals)) {
		m := &metric{definition: d}
		s.globals = append(s.globals, m)
		s.metrics = append(s.metrics, m)
		if s.byName[d.name] == nil {
			s.byName[d.name] = m
		}
	}
}

// visible reports whether no other derived metric hides m.
func (s *Source) visible(m *metric) bool { return s.byName[m.name] == m }

// byID returns the visible derived metric that id belongs to, or nil.
func (s *Source) byID(id pcp.ID) *metric {
	if !id.IsDerived() {
		return nil
	}
	var m *metric
	if n := number(id); n < len(s.globals) {
		m = s.globals[n]
	} else if n := localNumber(id); n < len(s.locals) {
		m = s.locals[n]
	}
	if m == nil || !s.visible(m) {
		return nil
	}
	return m
}
