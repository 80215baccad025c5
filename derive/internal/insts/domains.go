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

var (
	_ pmapi.Wrapper = (*Domains)(nil)
	_ pmapi.Batcher = (*Domains)(nil)
	_ pmapi.Past    = (*Domains)(nil)
)

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
func (s *Domains) Instances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if s.groups.Has(d) {
		return s.groups.Instances(ctx, d)
	}
	return s.Source.Instances(ctx, d)
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

// InstancesAt implements pmapi.Past.
func (s *Domains) InstancesAt(ctx context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	if s.groups.Has(d) {
		return s.groups.InstancesAt(ctx, d, at)
	}
	return pmapi.InstancesAt(ctx, s.Source, d, at)
}

// AllInstances implements pmapi.Past.
func (s *Domains) AllInstances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if s.groups.Has(d) {
		return s.groups.AllInstances(ctx, d)
	}
	return pmapi.AllInstances(ctx, s.Source, d)
}

// InstancesOf implements pmapi.Batcher.
func (s *Domains) InstancesOf(ctx context.Context, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
	ask := func(ctx context.Context, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
		return pmapi.InstancesOf(ctx, s.Source, ds)
	}
	return apart(ctx, ds, s.groups.Has, s.groups.Instances, ask)
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

// WalkNames implements pmapi.Batcher.
func (s *Domains) WalkNames(ctx context.Context, name string, f func(name string) bool) error {
	return pmapi.WalkNames(ctx, s.Source, name, f)
}
