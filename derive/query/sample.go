package query

import (
	"context"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A sampler makes samples of the results that are fetched for a plan. It reuses their memory.
type sampler struct {
	p      *plan
	namer  *InstanceNamer
	names  []func(inst int32) string // of the instances of each expression; nil for one without
	ctx    context.Context           // of the sample, for the names
	smp    sampling.Sample
	passed map[int32]bool // see choose
}

// newSampler returns a sampler.
func newSampler(p *plan) *sampler {
	t := &sampler{p: p, namer: NewInstanceNamer(p.src), smp: sampling.Sample{Sets: make([]sampling.Set, len(p.exprs))}, passed: make(map[int32]bool)}
	for _, e := range p.exprs {
		t.names = append(t.names, t.naming(e.Info.Root.InDom))
	}
	return t
}

// naming returns what names the instances of a domain in the sample.
func (t *sampler) naming(d pcp.InDom) func(inst int32) string {
	if d == pcp.NullInDom {
		return nil
	}
	n := t.namer.domain(d)
	return func(inst int32) string {
		if name, ok := n.Find(inst); ok {
			return name
		}
		return t.namer.Name(t.ctx, d, inst, t.smp.Time)
	}
}

// take returns what a result holds for the expressions, or nil if the sample is not selected. Its sets
// look at the columns of the result.
func (t *sampler) take(ctx context.Context, res *pcp.Result) (*sampling.Sample, error) {
	t.ctx, t.smp.Time, t.smp.Gap, t.smp.Ordered = ctx, res.Time, res.Gap, false
	for i, e := range t.p.exprs {
		t.set(i, e, res)
	}
	chosen, err := t.choose(ctx, res)
	if err != nil || !chosen {
		return nil, err
	}
	return &t.smp, t.p.Select.arrange(ctx, &t.smp)
}

// set puts the values of an expression into the sample.
func (t *sampler) set(i int, e *Expr, res *pcp.Result) {
	v := &res.Sets[e.column]
	if v.Err != nil {
		t.smp.Sets[i] = sampling.Set{Err: derive.Err(e.Tree, v)}
		return
	}
	var rates *pcp.Values
	if t.p.rate(e) {
		rates = &res.Sets[e.rateColumn]
	}
	set := &t.smp.Sets[i]
	*set = sampling.ColumnSet(v, rates, t.names[i])
	_, set.Named = e.Info.Groups[e.Info.Root.InDom]
}

// choose removes values that are not selected from the sample, and reports whether any are left.
func (t *sampler) choose(ctx context.Context, res *pcp.Result) (some bool, err error) {
	if len(t.p.Select.Instances) > 0 {
		err = t.keep(ctx, func(_ pcp.InDom, v *sampling.Value) bool { return t.p.Select.selects(v.Instance) })
	}
	where := t.p.where
	if where == nil || err != nil {
		return true, err
	}
	v := &res.Sets[where.column]
	clear(t.passed)
	for i, inst := range v.Insts {
		if f, err := v.Value(i).Float64(); v.Err == nil && err == nil && f != 0 {
			t.passed[inst] = true
		}
	}
	if d := where.Info.Root.InDom; d != pcp.NullInDom {
		err = t.keep(ctx, func(of pcp.InDom, v *sampling.Value) bool { return of != d || t.passed[v.ID] })
	}
	return len(t.passed) > 0, err
}

// keep keeps some of the values of instances.
func (t *sampler) keep(ctx context.Context, wanted func(pcp.InDom, *sampling.Value) bool) error {
	for i := range t.smp.Sets {
		if d := t.p.exprs[i].Info.Root.InDom; d != pcp.NullInDom {
			if err := t.smp.Sets[i].Filter(ctx, func(v *sampling.Value) bool { return wanted(d, v) }); err != nil {
				return err
			}
		}
	}
	return nil
}
