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
	own := func(d pcp.InDom) (a pcp.Answer[[]pcp.Instance], ok bool) {
		if ok = s.groups.Has(d); ok {
			a.Value, a.Err = s.groups.Instances(ctx, d, at)
		}
		return a, ok
	}
	return Apart(ctx, ds, own, func(ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) { return s.Source.Instances(ctx, ds, at) })
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
	own := func(ident uint32) (a pcp.Answer[pcp.ObjectLabels], ok bool) {
		if ok = kind == pcp.InstanceLabels && s.groups.Has(pcp.InDom(ident)); ok {
			a.Value.Sets, a.Err = s.groups.Labels(ctx, pcp.InDom(ident), at)
		}
		return a, ok
	}
	return Apart(ctx, idents, own, func(idents []uint32) ([]pcp.Answer[pcp.ObjectLabels], error) {
		return s.Source.Labels(ctx, kind, idents, at)
	})
}

// Apart answers questions: each that own knows by itself, and all others at once by ask.
func Apart[K, V any](ctx context.Context, keys []K, own func(K) (pcp.Answer[V], bool), ask func([]K) ([]pcp.Answer[V], error)) ([]pcp.Answer[V], error) {
	out := make([]pcp.Answer[V], len(keys))
	var rest []K
	var where []int
	for i, k := range keys {
		var ok bool
		if out[i], ok = own(k); !ok {
			rest, where = append(rest, k), append(where, i)
		}
	}
	if len(rest) == 0 && len(keys) > 0 {
		return out, ctx.Err()
	}
	found, err := ask(rest)
	if err != nil || len(rest) == len(keys) {
		return found, err
	}
	for i, a := range found {
		out[where[i]] = a
	}
	return out, nil
}
