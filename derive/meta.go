package derive

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Describe returns the descriptions of metrics; pmerr.BadDerive for invalid derived ones.
func (s *Source) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	list := s.derived(ids)
	if len(list) == 0 {
		return s.base.Describe(ctx, ids)
	}
	e := s.newEnv(ctx, Described)
	if err := e.bindAll(list, nil); err != nil {
		return nil, err
	}
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	var rest []pcp.ID
	var where []int
	for i, id := range ids {
		switch m := s.byID(id); {
		case m == nil || m.state == masked:
			rest, where = append(rest, id), append(where, i)
		case m.state == valid:
			out[i].Value = m.desc
		default:
			out[i].Err = pmerr.BadDerive
		}
	}
	return fill(ctx, out, where, s.base.Describe, rest)
}

// fill puts the answers about what ids name, if there are any, into their places.
func fill[K, T any](ctx context.Context, out []T, where []int, ask func(context.Context, []K) ([]T, error), ids []K) ([]T, error) {
	if len(ids) == 0 {
		return out, nil
	}
	found, err := ask(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, r := range found {
		out[where[i]] = r
	}
	return out, nil
}

// Text returns help texts. The error of a derived metric without one is pmerr.Text. The Source below is
// asked for all of its texts at once.
func (s *Source) Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if kind&pcp.InDomText != 0 {
		return s.base.Text(ctx, kind, idents)
	}
	out := make([]pcp.Answer[string], len(idents))
	var rest []uint32
	var where []int
	for i, ident := range idents {
		if m := s.byID(pcp.ID(ident)); m != nil {
			out[i].Value, out[i].Err = m.Text(kind)
		} else {
			rest, where = append(rest, ident), append(where, i)
		}
	}
	ask := func(ctx context.Context, idents []uint32) ([]pcp.Answer[string], error) {
		return s.base.Text(ctx, kind, idents)
	}
	return fill(ctx, out, where, ask, rest)
}

func noLabels() []pcp.LabelSet { return []pcp.LabelSet{{Inst: pcp.NullInst}} }

// Labels returns labels. Derived metrics have no labels of domain, cluster and item. The Source below is
// asked for all of its labels at once.
func (s *Source) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	if s.closed {
		return nil, pmerr.NoContext
	}
	out := make([]pcp.Answer[pcp.ObjectLabels], len(idents))
	var rest []uint32
	var where []int
	for i, ident := range idents {
		if ofDerived(kind, ident) {
			out[i].Value.Sets = noLabels()
		} else {
			rest, where = append(rest, ident), append(where, i)
		}
	}
	ask := func(ctx context.Context, idents []uint32) ([]pcp.Answer[pcp.ObjectLabels], error) {
		return s.insts.Domains().Labels(ctx, kind, idents, at)
	}
	return fill(ctx, out, where, ask, rest)
}

// ofDerived reports whether an object is derived metrics or all that they have in common.
func ofDerived(kind pcp.LabelKind, ident uint32) bool {
	switch kind {
	case pcp.ClusterLabels, pcp.ItemLabels:
		return pcp.ID(ident).IsDerived()
	case pcp.DomainLabels:
		return ident == pcp.DynamicDomain
	}
	return false
}
