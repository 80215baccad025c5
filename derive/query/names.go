package query

import (
	"cmp"
	"context"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// An InstanceNamer names the instances of a source, and remembers the names.
type InstanceNamer struct {
	src     *Source
	domains map[pcp.InDom]*instanceNames
	err     error // of a request for names: numbers stand for some
}

// NewInstanceNamer returns what names the instances of a source.
func NewInstanceNamer(s *Source) *InstanceNamer {
	return &InstanceNamer{src: s, domains: make(map[pcp.InDom]*instanceNames)}
}

// domain returns what is known of a domain.
func (r *InstanceNamer) domain(d pcp.InDom) *instanceNames {
	n := r.domains[d]
	if n == nil {
		n = &instanceNames{unnamed: make(map[int32]bool)}
		r.domains[d] = n
	}
	return n
}

// Name returns the name that an instance has at a time, or else at any; the number of an instance
// stands for a name that is not known.
func (r *InstanceNamer) Name(ctx context.Context, d pcp.InDom, inst int32, at pcp.Timestamp) string {
	n := r.domain(d)
	if name, ok := n.find(inst); ok {
		return name
	}
	if (!n.begun || n.asked != at) && !n.unnamed[inst] {
		n.begun, n.asked = true, at
		list, err := pmapi.InstancesOf(ctx, r.src, d, pmapi.At(at))
		if IsLost(err) || ctx.Err() != nil {
			r.err = err
			return Number(inst)
		}
		n.add(list, true)
		if name, ok := n.find(inst); ok {
			return name
		}
	}
	if !n.whole && r.src.Line != nil {
		n.whole = true
		if list, err := pmapi.InstancesOf(ctx, r.src, d, pmapi.Ever()); err == nil {
			n.add(list, false)
		}
	}
	if name, ok := n.find(inst); ok {
		return name
	}
	if len(n.unnamed) < maxUnnamed {
		n.unnamed[inst] = true
	}
	return Number(inst)
}

// An instanceNames is what is known of the names of a domain's instances. A domain may have
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
