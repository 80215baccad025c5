package query

import (
	"context"

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

// domain returns the known names of a domain.
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
	if name, ok := n.Find(inst); ok {
		return name
	}
	if (!n.begun || n.asked != at) && !n.unnamed[inst] {
		n.begun, n.asked = true, at
		list, err := pmapi.InstancesOf(ctx, r.src, d, pmapi.At(at))
		if IsLost(err) || ctx.Err() != nil {
			r.err = err
			return Number(inst)
		}
		n.InstanceNames = pcp.NewInstanceNames(list, n.List)
		if name, ok := n.Find(inst); ok {
			return name
		}
	}
	if !n.whole && r.src.Line != nil {
		n.whole = true
		if list, err := pmapi.InstancesOf(ctx, r.src, d, pmapi.Ever()); err == nil {
			n.InstanceNames = pcp.NewInstanceNames(n.List, list)
		}
	}
	if name, ok := n.Find(inst); ok {
		return name
	}
	if len(n.unnamed) < maxUnnamed {
		n.unnamed[inst] = true
	}
	return Number(inst)
}

// An instanceNames has the known names of a domain's instances.
type instanceNames struct {
	pcp.InstanceNames
	begun   bool           // the source has been asked
	asked   pcp.Timestamp  // for which sample it has been asked last
	whole   bool           // the names of all times are known
	unnamed map[int32]bool // a few of the instances without a name
}

// maxUnnamed is how many instances without names are remembered. For more the source is asked again,
// once for each sample.
const maxUnnamed = 1000
