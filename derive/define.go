package derive

import (
	"cmp"
	"context"
	"errors"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/draw"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Add defines a metric for this Source and binds it at once (pmAddDerivedMetric). The error is a
// *diagnose.Problem for errors.As if the definition is wrong; one that parses but cannot be bound keeps its name.
func (s *Source) Add(ctx context.Context, name, expr string) error {
	if err := s.open(); err != nil {
		return err
	}
	m, err := s.define(name, expr)
	if o := s.set.settings.Observer(); o != nil {
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

// SetLimit sets how many metrics Add accepts (control CONTEXT_LIMIT). -1 means no limit; other
// values below 1 are pmerr.Arg.
func (s *Source) SetLimit(n int) error {
	if n != -1 && n <= 0 {
		return pmerr.Arg
	}
	s.limit = n
	return nil
}

// Limit returns what SetLimit has set.
func (s *Source) Limit() int { return s.limit }

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
	if err := s.newEnv(ctx, used).bindAll(s.derived(ids), nil); err != nil {
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

// Proposals returns a function for [diagnose.Check]: all names that there are, whatever the unknown one.
func (s *Source) Proposals(ctx context.Context) func(string) []string {
	return func(string) []string {
		names, _ := pmapi.Leaves(ctx, s, "") // with an error there are fewer proposals
		return names
	}
}

// Explain returns an error of Add as text for people: the mistake, the expression with a caret, and
// the likely intention, each line with its newline.
func (s *Source) Explain(ctx context.Context, err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return draw.Problem(r.problem(s.Proposals(ctx)), 0, 0)
	}
	return err.Error() + "\n"
}
