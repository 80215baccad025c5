// Package insts answers the evaluator's questions about instance domains.
package insts

import (
	"context"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Instances implements eval.Instances over a Source during one fetch.
type Instances struct {
	source pmapi.Source
	namer  pmapi.InstanceNamer // nil if the Source below cannot find single instances
	ctx    context.Context
	lists  map[pcp.InDom]instanceList
}

// An instanceList is the instances of a domain, or why they are not known.
type instanceList struct {
	list  []pcp.Instance
	err   error
	names map[int32]string // of list, made when it is first wanted
}

// New returns the Instances of a Source, for a fetch that Begin begins.
func New(src pmapi.Source) *Instances {
	in := &Instances{source: src, lists: make(map[pcp.InDom]instanceList)}
	in.namer, _ = pmapi.As[pmapi.InstanceNamer](src)
	return in
}

// Begin forgets the answers of the fetch before.
func (in *Instances) Begin(ctx context.Context) {
	in.ctx = ctx
	clear(in.lists)
}

// Instances implements eval.Instances.
func (in *Instances) Instances(d pcp.InDom) ([]pcp.Instance, error) {
	l, ok := in.lists[d]
	if !ok {
		l.list, l.err = in.source.Instances(in.ctx, d)
		in.lists[d] = l
	}
	return l.list, l.err
}

// LookupInst implements eval.Instances. A name also finds the instance whose name it is up to the
// first blank.
func (in *Instances) LookupInst(d pcp.InDom, name string) (int32, error) {
	if in.namer != nil {
		return in.namer.LookupInst(in.ctx, d, name)
	}
	list, err := in.Instances(d)
	if err != nil {
		return 0, err
	}
	for _, x := range list {
		if first, _, _ := strings.Cut(x.Name, " "); x.Name == name || first == name {
			return x.ID, nil
		}
	}
	return 0, pmerr.Inst
}

// InstName implements eval.Instances.
func (in *Instances) InstName(d pcp.InDom, inst int32) (string, error) {
	list, err := in.Instances(d)
	if err == nil {
		l := in.lists[d]
		if l.names == nil {
			l.names = make(map[int32]string, len(list))
			for _, x := range list {
				l.names[x.ID] = x.Name
			}
			in.lists[d] = l
		}
		if name, ok := l.names[inst]; ok {
			return name, nil
		}
		err = pmerr.Inst
	}
	if in.namer != nil {
		return in.namer.InstName(in.ctx, d, inst)
	}
	return "", err
}
