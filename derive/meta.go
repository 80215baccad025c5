package derive

import (
	"context"

	"pmtools/derive/internal/insts"
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
	own := func(id pcp.ID) (a pcp.Answer[pcp.Desc], ok bool) {
		switch m := s.byID(id); {
		case m == nil || m.state == masked:
			return a, false
		case m.state == valid:
			a.Value = m.desc
		default:
			a.Err = pmerr.BadDerive
		}
		return a, true
	}
	return insts.Apart(ctx, ids, own, func(ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) { return s.base.Describe(ctx, ids) })
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
	own := func(ident uint32) (a pcp.Answer[string], ok bool) {
		m := s.byID(pcp.ID(ident))
		if ok = m != nil; ok {
			a.Value, a.Err = m.Text(kind)
		}
		return a, ok
	}
	return insts.Apart(ctx, idents, own, func(idents []uint32) ([]pcp.Answer[string], error) { return s.base.Text(ctx, kind, idents) })
}

// Labels returns labels. Derived metrics have no labels of domain, cluster and item. The Source below is
// asked for all of its labels at once.
func (s *Source) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	own := func(ident uint32) (a pcp.Answer[pcp.ObjectLabels], ok bool) {
		if ok = ofDerived(kind, ident); ok {
			a.Value.Sets = []pcp.LabelSet{{Inst: pcp.NullInst}}
		}
		return a, ok
	}
	return insts.Apart(ctx, idents, own, func(idents []uint32) ([]pcp.Answer[pcp.ObjectLabels], error) {
		return s.insts.Domains().Labels(ctx, kind, idents, at)
	})
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

// Derived metrics have the instance domains of the Source below, and those of the groups that by makes.

// Instances returns the instances of domains.
func (s *Source) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	return s.insts.Domains().Instances(ctx, ds, at)
}

// LookupInst returns the identifier of an instance.
func (s *Source) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	if err := s.open(); err != nil {
		return 0, err
	}
	return s.insts.Domains().LookupInst(ctx, d, name)
}

// InstName returns the name of an instance.
func (s *Source) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	if err := s.open(); err != nil {
		return "", err
	}
	return s.insts.Domains().InstName(ctx, d, inst)
}
