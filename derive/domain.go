package derive

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

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

// unselected removes the values of groups that a profile leaves out: it chose no instances below.
func unselected(v *pcp.Values, d pcp.InDom, p *pcp.Profile) {
	kept := 0
	for i, inst := range v.Insts {
		if p.Selects(d, inst) {
			v.Insts[kept], v.Words[kept] = inst, v.Words[i]
			kept++
		}
	}
	v.Insts, v.Words = v.Insts[:kept], v.Words[:kept]
}
