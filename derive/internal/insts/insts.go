// Package insts answers the evaluator's questions about instance domains.
package insts

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Instances implements eval.Instances over a Source during one fetch.
type Instances struct {
	source *Domains
	line   pmapi.Timeline // nil if the Source has no past
	ctx    context.Context
	at     pcp.Timestamp // of the values
	lists  map[pcp.InDom]instanceList
	names  map[pcp.InDom]instanceNames
}

// An instanceList is the instances of a domain at the position, or why they are not known.
type instanceList struct {
	list []pcp.Instance
	err  error
}

// An instanceNames is the names of instances at the time of the values, or why they are not known.
type instanceNames struct {
	names map[int32]string
	err   error
}

// New returns the Instances of a Source, for a fetch that Begin begins.
func New(src pmapi.Source) *Instances {
	in := &Instances{source: Over(src), lists: make(map[pcp.InDom]instanceList), names: make(map[pcp.InDom]instanceNames)}
	in.line, _ = pmapi.As[pmapi.Timeline](src)
	return in
}

// Domains returns the Source with the domains of groups.
func (in *Instances) Domains() *Domains { return in.source }

// Groups implements eval.Grouper.
func (in *Instances) Groups(by pcp.InDom, known int, insts, groups []int32) (version int, err error) {
	return in.source.groups.Of(in.ctx, by, known, insts, groups, in.at)
}

// Begin forgets the answers of the fetch before. The values fetched now have the time at.
func (in *Instances) Begin(ctx context.Context, at pcp.Timestamp) {
	in.ctx, in.at = ctx, at
	clear(in.lists)
	clear(in.names)
}

// Instances implements eval.Instances.
func (in *Instances) Instances(d pcp.InDom) ([]pcp.Instance, error) {
	l, ok := in.lists[d]
	if !ok {
		l.list, l.err = pmapi.InstancesOf(in.ctx, in.source, d, pmapi.Now())
		in.lists[d] = l
	}
	return l.list, l.err
}

// LookupInst implements eval.Instances. A name also finds the instance whose name it is up to the
// first blank.
func (in *Instances) LookupInst(d pcp.InDom, name string) (int32, error) {
	return in.source.LookupInst(in.ctx, d, name)
}

// InstName implements eval.Instances. In a recording the name is that of the time of the values,
// not of the position, which is ahead of them after a fetch in the mode Interp.
func (in *Instances) InstName(d pcp.InDom, inst int32) (string, error) {
	if in.source.groups.Has(d) {
		return in.source.groups.InstName(in.ctx, d, inst)
	}
	known := in.named(d)
	switch name, ok := known.names[inst]; {
	case ok:
		return name, nil
	case in.line == nil:
		return in.source.InstName(in.ctx, d, inst)
	case known.err != nil:
		return "", known.err
	}
	return "", pmerr.Inst
}

func (in *Instances) named(d pcp.InDom) instanceNames {
	if known, ok := in.names[d]; ok {
		return known
	}
	var list []pcp.Instance
	var known instanceNames
	if in.line != nil {
		list, known.err = pmapi.InstancesOf(in.ctx, in.source, d, pmapi.At(in.at))
	} else {
		list, known.err = in.Instances(d)
	}
	known.names = make(map[int32]string, len(list))
	for _, x := range list {
		known.names[x.ID] = x.Name
	}
	in.names[d] = known
	return known
}
