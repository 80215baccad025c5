package insts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// The answers of Groups to questions about their domains, as those of a Source.

// Instances returns the groups at a time of a recording, or those that there are now, or were ever.
func (g *Groups) Instances(ctx context.Context, d pcp.InDom, when pmapi.When) ([]pcp.Instance, error) {
	at, ok := when.Time()
	switch {
	case when == pmapi.Ever():
		return g.allInstances(ctx, d)
	case !ok && g.line != nil:
		at = g.line.Origin()
	}
	return g.instancesAt(ctx, d, at)
}

func (g *Groups) instancesAt(ctx context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	by := g.byDom[d]
	if by == nil {
		return nil, pmerr.InDom
	}
	var list []pcp.Instance
	var err error
	if g.Has(by.Of) {
		list, err = g.instancesAt(ctx, by.Of, at)
	} else {
		list, err = pmapi.InstancesOf(ctx, g.src, by.Of, pmapi.At(at))
	}
	if err != nil {
		return nil, err
	}
	insts, groups := make([]int32, len(list)), make([]int32, len(list))
	for i := range list {
		insts[i] = list[i].ID
	}
	if _, err := g.Of(ctx, d, 0, insts, groups, at); err != nil {
		return nil, err
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	found := make([]pcp.Instance, len(groups))
	for i, id := range groups {
		found[i] = pcp.Instance{ID: id, Name: by.groups[id].name}
	}
	return found, nil
}

// maxSets is how many instances of all changes of labels allInstances looks at, which takes seconds.
const maxSets = 1 << 22

// allInstances returns the groups at any time of a recording. If labels change too often to look at all of them,
// it returns those that are known, and pmerr.TooBig.
func (g *Groups) allInstances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	by := g.byDom[d]
	if by == nil || g.line == nil {
		return g.Instances(ctx, d, pmapi.Now())
	}
	inner := by
	for g.Has(inner.Of) {
		inner = g.byDom[inner.Of]
	}
	_, at, err := g.line.Bounds(ctx)
	if err != nil {
		return g.Instances(ctx, d, pmapi.Now())
	}
	for done, more := 0, true; more; {
		if _, bad := g.instancesAt(ctx, d, at); bad != nil { // which makes the groups known; there are none before the domain
			err = ctx.Err()
			break
		}
		if done += len(by.of) + 1; done > maxSets {
			err = fmt.Errorf("%w: labels of %s change too often to find all groups", pmerr.TooBig, inner.Of)
			break
		}
		more = inner.since != pcp.Timestamp{}
		at = inner.since.Add(-time.Nanosecond)
	}
	found := make([]pcp.Instance, 0, len(by.groups))
	for id, x := range by.groups {
		found = append(found, pcp.Instance{ID: id, Name: x.name})
	}
	slices.SortFunc(found, func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) })
	return found, err
}

// LookupInst returns the number of the group of a name, or of the one whose name it is up to the first blank.
func (g *Groups) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	list, err := g.Instances(ctx, d, pmapi.Now())
	if err != nil {
		return pcp.NullInst, err
	}
	first := pcp.NullInst
	for _, x := range list {
		if word, _, more := strings.Cut(x.Name, " "); x.Name == name {
			return x.ID, nil
		} else if more && word == name && first == pcp.NullInst {
			first = x.ID
		}
	}
	if first == pcp.NullInst {
		return first, pmerr.Inst
	}
	return first, nil
}

// InstName returns the name of a group.
func (g *Groups) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	by := g.byDom[d]
	if by == nil {
		return "", pmerr.InDom
	}
	if x, ok := by.groups[inst]; ok {
		return x.name, nil
	}
	if _, err := g.Instances(ctx, d, pmapi.Now()); err != nil {
		return "", err
	}
	if x, ok := by.groups[inst]; ok {
		return x.name, nil
	}
	return "", pmerr.Inst
}

// Labels returns the labels of the groups at a time: those that they are by.
func (g *Groups) Labels(ctx context.Context, d pcp.InDom, when pmapi.When) ([]pcp.LabelSet, error) {
	list, err := g.Instances(ctx, d, when)
	if err != nil {
		return nil, err
	}
	by := g.byDom[d]
	var sets []pcp.LabelSet
	for _, x := range list {
		set := pcp.LabelSet{Inst: x.ID}
		for i, v := range by.groups[x.ID].values {
			if v == "" {
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			set.Labels = append(set.Labels, pcp.Label{Name: by.Labels[i], Value: string(text), Flags: uint8(pcp.InstanceLabels)})
		}
		slices.SortFunc(set.Labels, func(a, b pcp.Label) int { return strings.Compare(a.Name, b.Name) })
		if len(set.Labels) > 0 {
			sets = append(sets, set)
		}
	}
	return sets, nil
}
