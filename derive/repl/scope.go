package repl

import (
	"context"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A scope is what is known of the names that some expressions mention: which of them the source has, and what it says of
// these. It is a check.Env. All names are looked up with one request and all descriptions with another.
type scope struct {
	world
	ctx   context.Context
	names map[string]pcp.Answer[pcp.ID]
	descs map[pcp.ID]pcp.Answer[pcp.Desc]
	busy  map[string]bool // derived metrics that are being described
	err   error           // of a request as a whole
}

// A world is what expressions are about.
type world struct {
	src        pmapi.Source     // nil for no metrics at all
	reg        *derive.Registry // may be nil
	defs       *dictionary
	equivalent func(a, b pcp.InDom) bool          // see check.Options
	catalogue  func(ctx context.Context) []string // names of the source, to propose; may be nil
}

// newScope returns a scope that knows nothing yet.
func newScope(ctx context.Context, w world) *scope {
	return &scope{
		world: w, ctx: ctx, names: make(map[string]pcp.Answer[pcp.ID]), descs: make(map[pcp.ID]pcp.Answer[pcp.Desc]),
		busy: make(map[string]bool),
	}
}

// learn looks names up, and those that the definitions of derived metrics among them mention.
func (sc *scope) learn(names []string) error {
	var list []string
	seen := make(map[string]bool)
	for todo := names; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		if _, known := sc.names[name]; !known {
			list = append(list, name)
		}
		if d := sc.defs.find(name); d != nil {
			todo = append(todo[:len(todo):len(todo)], mentioned(d.tree)...)
		}
	}
	return sc.request(list)
}

// request asks the source for names and what they stand for.
func (sc *scope) request(names []string) error {
	if len(names) == 0 {
		return nil
	}
	found := make([]pcp.Answer[pcp.ID], len(names))
	if sc.src == nil {
		for i := range found {
			found[i] = pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: pmerr.Name}
		}
	} else {
		var err error
		if found, err = sc.src.Lookup(sc.ctx, names); err != nil {
			return err
		}
	}
	var ids []pcp.ID
	for i, name := range names {
		sc.names[name] = found[i]
		if id := found[i].Value; found[i].Err == nil {
			if _, known := sc.descs[id]; !known {
				sc.descs[id] = pcp.Answer[pcp.Desc]{}
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	descs, err := sc.src.Describe(sc.ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		sc.descs[id] = descs[i]
	}
	return nil
}

// inSource reports whether the source has a metric of that name, which hides a derived one.
func (sc *scope) inSource(name string) bool {
	r, known := sc.names[name]
	return known && r.Err == nil
}

// derived returns the derived metric that a name stands for, or nil.
func (sc *scope) derived(name string) *Definition {
	if sc.inSource(name) {
		return nil
	}
	return sc.defs.find(name)
}

// firstDerived is the first of the identifiers by which derived metrics are known within a scope. No source has them.
const firstDerived pcp.ID = pcp.DynamicDomain<<22 | 1

// Lookup implements check.Env.
func (sc *scope) Lookup(name string) (id pcp.ID, derived bool, err error) {
	if _, known := sc.names[name]; !known {
		if err := sc.learn([]string{name}); err != nil {
			sc.err = err
			return pcp.NullID, false, err
		}
	}
	r := sc.names[name]
	if r.Err == nil {
		return r.Value, false, nil
	}
	if n := sc.defs.number(name); n >= 0 {
		return firstDerived + pcp.ID(n), true, nil
	}
	return pcp.NullID, false, r.Err
}

// Describe implements check.Env.
func (sc *scope) Describe(id pcp.ID) (pcp.Desc, error) {
	if r, known := sc.descs[id]; known {
		return r.Value, r.Err
	}
	d := sc.defs.numbered(int(id) - int(firstDerived))
	switch {
	case d == nil:
		return pcp.Desc{}, pmerr.PMID
	case sc.busy[d.Name]:
		return pcp.Desc{}, check.ErrLoop
	}
	sc.busy[d.Name] = true
	defer delete(sc.busy, d.Name)
	x, err := sc.expand(d.Expr, d.Name)
	if err != nil {
		return pcp.Desc{}, pmerr.BadDerive
	}
	info, err := check.Check(x.tree, sc, nil)
	if err != nil {
		return pcp.Desc{}, pmerr.BadDerive
	}
	return info.Root.Desc(id), nil
}

// mentioned returns the names of metrics in an expression.
func mentioned(x syntax.Expr) []string {
	var names []string
	for n := range syntax.Preorder(x) {
		switch n := n.(type) {
		case *syntax.MetricRef:
			names = append(names, n.Name)
		case *syntax.Spec:
			if n.Tag == syntax.META {
				names = append(names, n.Value)
			}
		}
	}
	return names
}

// A remembering source is the one of a scope, which is not asked again for what the scope knows.
type remembering struct {
	pmapi.Source
	sc *scope
}

// Unwrap implements pmapi.Wrapper.
func (r remembering) Unwrap() pmapi.Source { return r.Source }

// Lookup implements pmapi.Source.
func (r remembering) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	out := make([]pcp.Answer[pcp.ID], len(names))
	for i, name := range names {
		known, ok := r.sc.names[name]
		switch {
		case ok:
			out[i] = known
		case isItem(name):
			out[i] = pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: pmerr.Name}
		default:
			return r.Source.Lookup(ctx, names)
		}
	}
	return out, nil
}

// Describe implements pmapi.Source.
func (r remembering) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	for i, id := range ids {
		known, ok := r.sc.descs[id]
		if !ok {
			return r.Source.Describe(ctx, ids)
		}
		out[i] = known
	}
	return out, nil
}
