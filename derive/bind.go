package derive

import (
	"context"
	"errors"

	"pmtools/derive/check"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A binder checks the metrics of a catalog against those below when they are first needed.
type binder struct {
	catalog
	nesting
}

// A nesting is what a binder with Options.Nested keeps to bind metrics inside others.
type nesting struct {
	env     *env // nil if nothing is known
	nest    *expand.Expander[*Definition]
	checker *check.Checker
}

// forget discards the nesting, because names have changed their meaning or a request has failed.
func (b *binder) forget() { b.nesting = nesting{} }

// An env is what the checker sees of a Source while some metrics are bound.
type env struct {
	b       *binder
	ctx     context.Context
	cause   Cause
	pending []*metric
	names   map[string]pcp.Answer[pcp.ID]
	descs   map[pcp.ID]pcp.Answer[pcp.Desc]
	err     error // of a request as a whole
}

// newEnv returns an env. With Options.Nested it keeps the answers to its requests.
func (b *binder) newEnv(ctx context.Context, cause Cause) *env {
	if !b.opt.Nested {
		return &env{b: b, ctx: ctx, cause: cause}
	}
	n := &b.nesting
	if n.env == nil {
		n.env = &env{b: b}
		n.nest = expand.New(n.env.inner)
		n.checker = check.NewChecker(b.checkOptions(""))
	}
	n.env.ctx, n.env.cause, n.env.pending = ctx, cause, nil
	return n.env
}

// insert adds a definition that belongs to the Source alone. It hides another of its name.
func (b *binder) insert(d *Definition) *metric {
	m := &metric{Definition: d, id: localID(len(b.locals)), number: len(b.globals) + len(b.locals), local: true}
	b.locals = append(b.locals, m)
	b.changes++
	if d.name != "" {
		b.own[d.name] = m
		b.forget()
	}
	return m
}

func (b *binder) checkOptions(name string) *check.Options {
	novalue, _ := b.set.settings.Control(NoValueOption)
	return &check.Options{Name: name, NoValue: novalue != 0, Equivalent: b.opt.Equivalent}
}

// bindAll checks metrics that were not needed before, in the order given, against the metrics
// below, and shows them to l. The result is kept for good. All names are looked up with one
// request and all descriptions with another, because the Source below may be far away. An error is
// one of those requests; then nothing is kept.
func (e *env) bindAll(list []*metric, l *Listing) error {
	for _, m := range list {
		if m.state == unbound {
			e.pending = append(e.pending, m)
		}
	}
	if len(e.pending) > 0 {
		if err := e.prefetch(); err != nil {
			e.b.forget()
			return err
		}
	}
	for _, m := range list {
		e.bind(m)
		if e.err != nil {
			m.state = unbound
			e.b.forget()
			return e.err
		}
		l.add(m)
	}
	return nil
}

// prefetch looks up everything that the pending metrics mention.
func (e *env) prefetch() error {
	var names []string
	if e.names == nil {
		e.names = make(map[string]pcp.Answer[pcp.ID], 2*len(e.pending)) // room for the name of each and for one operand
		e.descs = make(map[pcp.ID]pcp.Answer[pcp.Desc], len(e.pending))
	}
	add := func(name string) {
		if _, ok := e.names[name]; !ok && name != "" {
			e.names[name] = pcp.Answer[pcp.ID]{}
			names = append(names, name)
		}
	}
	addMentions := func(m *metric) {
		for name := range syntax.Mentions(m.Expr()) {
			add(name)
		}
	}
	for _, m := range e.pending {
		add(m.name)
		addMentions(m)
	}
	for i := 0; i < len(names) && e.b.opt.Nested; i++ {
		if m := e.b.named(names[i]); m != nil {
			addMentions(m)
		}
	}
	if err := e.lookup(names); err != nil {
		return err
	}
	var ids []pcp.ID
	for _, name := range names {
		if r := e.names[name]; r.Err == nil {
			if _, ok := e.descs[r.Value]; !ok {
				e.descs[r.Value] = pcp.Answer[pcp.Desc]{}
				ids = append(ids, r.Value)
			}
		}
	}
	return e.describe(ids)
}

func (e *env) lookup(names []string) error {
	return ask(e.ctx, e.b.base.Lookup, names, e.names, pmerr.Name)
}

func (e *env) describe(ids []pcp.ID) error {
	return ask(e.ctx, e.b.base.Describe, ids, e.descs, pmerr.PMID)
}

// ask puts the answers to a request into a map. Those that are missing are an error.
func ask[K comparable, V any](ctx context.Context, request func(context.Context, []K) ([]pcp.Answer[V], error),
	keys []K, answers map[K]pcp.Answer[V], missing error) error {
	if len(keys) == 0 {
		return nil
	}
	found, err := request(ctx, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		answers[k] = pcp.Answer[V]{Err: missing}
		if i < len(found) {
			answers[k] = found[i]
		}
	}
	return nil
}

func (e *env) bind(m *metric) {
	if m.state != unbound {
		return
	}
	e.observe(m, Begun)
	hidden := m.name != "" && e.names[m.name].Err == nil
	if hidden && !e.b.opt.Nested {
		m.state = masked
		e.observe(m, Settled)
		return
	}
	m.state = inProgress
	info, err := e.check(m)
	if e.err != nil {
		return
	}
	if err == nil {
		err = e.b.insts.Domains().Groups().Add(info.Groups)
	}
	m.state, m.info, m.err = valid, info, err
	if err != nil {
		m.state = invalid
	}
	e.observe(m, Checked)
	if bad, ok := errors.AsType[*check.Error](err); ok && !m.local {
		e.b.opt.Warn(m.name, bad.Line(m.name))
	}
	e.observe(m, Settled)
	if err != nil {
		return
	}
	m.desc = info.Root.Desc(m.id)
	if ref, ok := syntax.Unparen(m.tree).(*syntax.MetricRef); ok {
		_, m.alias, _ = e.Lookup(ref.Name)
	}
	if hidden {
		m.state = masked
	}
}

func (e *env) inner(name string) *Definition {
	m := e.b.named(name)
	if m == nil || e.names[name].Err == nil {
		return nil
	}
	return m.Definition
}

// check checks the expression of a metric, with those in it that it mentions if they may be there.
func (e *env) check(m *metric) (*check.Info, error) {
	if !e.b.opt.Nested {
		m.tree = m.Expr()
		return check.Check(m.tree, e, e.b.checkOptions(m.name))
	}
	var err error
	if m.tree, err = e.b.nest.Expand(m.Definition); err != nil {
		return new(check.Info), err
	}
	return e.b.checker.Check(m.tree, e)
}

// Lookup implements check.Env. A metric below comes before a derived one.
func (e *env) Lookup(name string) (pcp.ID, bool, error) {
	r, ok := e.names[name]
	if !ok {
		if err := e.lookup([]string{name}); err != nil {
			e.err = err
			return pcp.NullID, false, err
		}
		r = e.names[name]
	}
	if r.Err == nil {
		return r.Value, false, nil
	}
	if m := e.b.named(name); m != nil {
		return m.id, true, nil
	}
	return pcp.NullID, false, r.Err
}

// Describe implements check.Env. The description of a derived metric is wanted where nothing but
// its metadata is used, so it can be bound on the way.
func (e *env) Describe(id pcp.ID) (pcp.Desc, error) {
	if r, ok := e.descs[id]; ok {
		return r.Value, r.Err
	}
	if m := e.b.byID(id); m != nil {
		return e.derived(m)
	}
	if err := e.describe([]pcp.ID{id}); err != nil {
		e.err = err
		return pcp.Desc{}, err
	}
	return e.descs[id].Value, e.descs[id].Err
}

// derived describes a derived metric, binding it if need be.
func (e *env) derived(m *metric) (pcp.Desc, error) {
	if m.state == unbound {
		cause := e.cause
		inner := e.b.newEnv(e.ctx, used)
		e.err = inner.bindAll([]*metric{m}, nil)
		if e.cause = cause; e.err != nil {
			return pcp.Desc{}, e.err
		}
	}
	switch m.state {
	case valid:
		return m.desc, nil
	case inProgress:
		return pcp.Desc{}, check.ErrLoop
	}
	return pcp.Desc{}, pmerr.BadDerive
}

func (e *env) observe(m *metric, stage Stage) {
	o := e.b.set.settings.Observer()
	if o == nil {
		return
	}
	o.Bound(&Binding{Source: e.b.state(), Metric: m.view(), Cause: e.cause, Stage: stage, Info: m.info,
		Resolve: func(name string) *Resolution {
			r := e.names[name]
			return e.b.resolution(name, r.Value, r.Err)
		}})
}
