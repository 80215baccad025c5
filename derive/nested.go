package derive

import (
	"cmp"
	"context"

	"pmtools/derive/check"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A nesting is the state that a Source with Options.Nested needs to bind metrics inside others.
type nesting struct {
	env     *env // nil if nothing is known
	nest    *expand.Expander[*Definition]
	checker *check.Checker
}

// forget discards the state, because names have changed their meaning or a request has failed. It
// does nothing for a nil nesting.
func (n *nesting) forget() {
	if n != nil {
		*n = nesting{}
	}
}

// nestedEnv returns the env of a Source with Options.Nested. It keeps the answers to its requests.
func (s *Source) nestedEnv(ctx context.Context, cause Cause) *env {
	n := s.nesting
	if n.env == nil {
		n.env = &env{s: s}
		n.nest = expand.New(n.env.inner)
		n.checker = check.NewChecker(s.checkOptions(""))
	}
	n.env.ctx, n.env.cause, n.env.pending = ctx, cause, nil
	return n.env
}

func (e *env) inner(name string) *Definition {
	m := e.s.named(name)
	if m == nil || e.names[name].Err == nil {
		return nil
	}
	return m.Definition
}

// check checks the expression of a metric, with those in it that it mentions if they may be there.
func (e *env) check(m *metric) (*check.Info, error) {
	n := e.s.nesting
	if n == nil {
		m.tree = m.Expr()
		return check.Check(m.tree, e, e.s.checkOptions(m.name))
	}
	var err error
	if m.tree, err = n.nest.Expand(m.Definition); err != nil {
		return new(check.Info), err
	}
	return n.checker.Check(m.tree, e)
}

// Define defines metrics for this Source alone without binding them, if it does not have them, and returns
// their identifiers.
// A definition that has the name of another hides it; a definition whose name is empty can only be checked and
// fetched. A nil Definition is the zero one. In a Source that is not open there are none: their identifiers are zero.
func (s *Source) Define(list ...*Definition) []pcp.ID {
	ids := make([]pcp.ID, len(list))
	if s.open() != nil {
		return ids
	}
	for i, d := range list {
		d = cmp.Or(d, new(Definition))
		m := s.named(d.name)
		if m == nil || m.Definition != d {
			m = s.insert(d)
		}
		ids[i] = m.id
	}
	return ids
}

// A Report is the result of checking a derived metric.
type Report struct {
	// Expr is its expression. With Options.Nested definitions stand in it as NestExprs; it is nil
	// if they cannot.
	Expr   syntax.Expr
	Info   *check.Info
	Masked bool  // the Source below has a metric of that name
	Err    error // a *check.Error if the expression does not fit
}

// Check binds derived metrics, with one request for all names and one for all descriptions, and
// reports on each.
func (s *Source) Check(ctx context.Context, ids ...pcp.ID) ([]Report, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if err := s.newEnv(ctx, Used).bindAll(s.derived(ids), nil); err != nil {
		return nil, err
	}
	out := make([]Report, len(ids))
	for i, id := range ids {
		if m := s.byID(id); m != nil {
			out[i] = Report{m.tree, m.info, m.state == masked, m.err}
		} else {
			out[i].Err = pmerr.BadDerive
		}
	}
	return out, nil
}
