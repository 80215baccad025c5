package repl

import (
	"cmp"
	"context"
	"slices"

	"pmtools/lib/pcp"
)

// An instanceNames is what a sampler knows of the names of a domain's instances. A domain may have
// millions, so they stay in the list that the source has.
type instanceNames struct {
	list    []pcp.Instance // ascending by identifier
	next    int            // where the name of the next value is most often
	begun   bool           // the source has been asked
	asked   pcp.Timestamp  // for which sample it has been asked last
	whole   bool           // the list has the names of all times
	unnamed map[int32]bool // a few of the instances without a name
}

// maxUnnamed is how many instances without names are remembered. For more the source is asked again,
// once for each sample.
const maxUnnamed = 1000

// find returns the name of an instance.
func (n *instanceNames) find(inst int32) (string, bool) {
	i := n.next
	if i >= len(n.list) || n.list[i].ID != inst {
		found := false
		i, found = slices.BinarySearchFunc(n.list, inst, func(in pcp.Instance, inst int32) int { return cmp.Compare(in.ID, inst) })
		if !found {
			return "", false
		}
	}
	n.next = i + 1
	return n.list[i].Name, true
}

// add adds names to those that are known, in their place if they are newer.
func (n *instanceNames) add(list []pcp.Instance, newer bool) {
	before, after := list, n.list
	if !newer {
		before, after = after, before
	}
	byID := func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) }
	if len(before) == 0 {
		before, after = after, nil
	}
	if len(after) > 0 || !slices.IsSortedFunc(before, byID) {
		before = slices.Concat(before, after)
		slices.SortStableFunc(before, byID)
		before = slices.CompactFunc(before, func(a, b pcp.Instance) bool { return a.ID == b.ID })
	}
	n.list = before
}

// instance returns the name that an instance has at a time, or else at any; one that has none is
// shown by its number.
func (p *sampler) instance(ctx context.Context, d pcp.InDom, inst int32, at pcp.Timestamp) string {
	n := p.names[d]
	if n == nil {
		n = &instanceNames{unnamed: make(map[int32]bool)}
		p.names[d] = n
	}
	if name, ok := n.find(inst); ok {
		return name
	}
	if (!n.begun || n.asked != at) && !n.unnamed[inst] {
		n.begun, n.asked = true, at
		if insts, err := p.s.instances(ctx, d, at); err == nil {
			n.add(insts, true)
		}
		if name, ok := n.find(inst); ok {
			return name
		}
	}
	if !n.whole && p.s.line != nil {
		n.whole = true
		if insts, err := p.s.line.AllInstances(ctx, d); err == nil {
			n.add(insts, false)
		}
	}
	if name, ok := n.find(inst); ok {
		return name
	}
	if len(n.unnamed) < maxUnnamed {
		n.unnamed[inst] = true
	}
	return number(inst)
}

// instances returns the instances of a domain at a time of a recording, or as they are now.
func (s *Session) instances(ctx context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	if s.line != nil {
		return s.line.InstancesAt(ctx, d, at)
	}
	return s.src.Instances(ctx, d)
}
