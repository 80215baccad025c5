package insts

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Domains is a Source together with the domains of groups.
type Domains struct {
	pmapi.Source
	groups *Groups
}

var _ pmapi.Wrapper = (*Domains)(nil)

// Over returns src with the domains of groups; those of a Domains below, if there is one.
func Over(src pmapi.Source) *Domains {
	if below, ok := pmapi.As[*Domains](src); ok {
		return &Domains{src, below.groups}
	}
	return &Domains{src, newGroups(src)}
}

// Groups returns the groups.
func (s *Domains) Groups() *Groups { return s.groups }

// Unwrap implements pmapi.Wrapper.
func (s *Domains) Unwrap() pmapi.Source { return s.Source }

// Instances implements pmapi.Source.
func (s *Domains) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	one := func(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) { return s.groups.Instances(ctx, d, at) }
	ask := func(ctx context.Context, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
		return s.Source.Instances(ctx, ds, at)
	}
	return apart(ctx, ds, s.groups.Has, one, ask)
}

// LookupInst implements pmapi.Source.
func (s *Domains) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	if s.groups.Has(d) {
		return s.groups.LookupInst(ctx, d, name)
	}
	return s.Source.LookupInst(ctx, d, name)
}

// InstName implements pmapi.Source.
func (s *Domains) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	if s.groups.Has(d) {
		return s.groups.InstName(ctx, d, inst)
	}
	return s.Source.InstName(ctx, d, inst)
}

// Labels implements pmapi.Source.
func (s *Domains) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	has := func(ident uint32) bool { return kind == pcp.InstanceLabels && s.groups.Has(pcp.InDom(ident)) }
	one := func(ctx context.Context, ident uint32) (pcp.ObjectLabels, error) {
		sets, err := s.groups.Labels(ctx, pcp.InDom(ident), at)
		return pcp.ObjectLabels{Sets: sets}, err
	}
	ask := func(ctx context.Context, idents []uint32) ([]pcp.Answer[pcp.ObjectLabels], error) {
		return s.Source.Labels(ctx, kind, idents, at)
	}
	return apart(ctx, idents, has, one, ask)
}

// apart answers questions about groups one by one, and all others at once.
func apart[K, V any](ctx context.Context, keys []K, has func(K) bool, one func(context.Context, K) (V, error),
	ask func(context.Context, []K) ([]pcp.Answer[V], error)) ([]pcp.Answer[V], error) {
	out := make([]pcp.Answer[V], len(keys))
	var rest []K
	var where []int
	for i, k := range keys {
		if has(k) {
			out[i].Value, out[i].Err = one(ctx, k)
		} else {
			rest, where = append(rest, k), append(where, i)
		}
	}
	if len(rest) == 0 && len(keys) > 0 {
		return out, ctx.Err()
	}
	found, err := ask(ctx, rest)
	if err != nil || len(rest) == len(keys) {
		return found, err
	}
	for i, a := range found {
		out[where[i]] = a
	}
	return out, nil
}
