package pmapi

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A LabelObject identifies an object with labels, as an argument of [Source.Labels].
type LabelObject struct {
	Kind  pcp.LabelKind
	Ident uint32
}

// LabelObjects returns the objects whose labels the values of metrics have: each once, those of lower
// precedence first. A description without an identifier describes an expression, whose values have
// the labels of their instances only.
func LabelObjects(descs ...pcp.Desc) []LabelObject {
	list := []LabelObject{{pcp.ContextLabels, 0}}
	for i := range descs {
		id, d := descs[i].ID, descs[i].InDom
		if id != pcp.NullID {
			list = append(list, LabelObject{pcp.DomainLabels, id.Domain()},
				LabelObject{pcp.ClusterLabels, uint32(pcp.NewID(id.Domain(), id.Cluster(), 0))}, LabelObject{pcp.ItemLabels, uint32(id)})
		} else if d != pcp.NullInDom {
			list = append(list, LabelObject{pcp.DomainLabels, d.Domain()})
		}
		if d != pcp.NullInDom {
			list = append(list, LabelObject{pcp.InDomLabels, uint32(d)}, LabelObject{pcp.InstanceLabels, uint32(d)})
		}
	}
	slices.SortFunc(list, func(a, b LabelObject) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ident, b.Ident)) })
	return slices.Compact(list)
}

// LabelsOf returns the label sets that one object has now, or at the position of a recording
// (pmGetDomainLabels and others). Errors are those of [Source.Labels].
func LabelsOf(ctx context.Context, src Source, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	labels, err := one(src.Labels(ctx, kind, []uint32{ident}, Now()))
	return labels.Sets, err
}

// ReadLabels returns the labels that objects have now, or at the position of a recording. An object
// without labels gets an empty set, and so does every object if the source has no labels. It fails
// only if ctx ends or the connection is lost.
func ReadLabels(ctx context.Context, src Source, objects []LabelObject) ([]pcp.ObjectLabels, error) {
	found := make([]pcp.ObjectLabels, 0, len(objects))
	for len(objects) > 0 {
		kind := objects[0].Kind
		var idents []uint32
		for len(objects) > 0 && objects[0].Kind == kind {
			idents, objects = append(idents, objects[0].Ident), objects[1:]
		}
		answers, err := src.Labels(ctx, kind, idents, Now())
		if err != nil {
			answers = make([]pcp.Answer[pcp.ObjectLabels], len(idents))
			answers[0].Err = err
		}
		for _, a := range answers {
			if ctx.Err() != nil || errors.Is(a.Err, pmerr.IPC) {
				return nil, cmp.Or(ctx.Err(), a.Err)
			}
			found = append(found, a.Value)
		}
	}
	return found, nil
}

// LookupLabels returns the label sets of a metric, lowest precedence first: those of the context, its
// domain, its instance domain, its cluster and its item. A level without labels has no set. For the
// labels of instances use [Source.Labels]. Errors are those of [LookupDesc]. (pmLookupLabels)
func LookupLabels(ctx context.Context, src Source, id pcp.ID) ([]pcp.LabelSet, error) {
	desc, err := LookupDesc(ctx, src, id)
	if err != nil {
		return nil, err
	}
	objects := slices.DeleteFunc(LabelObjects(desc), func(o LabelObject) bool { return o.Kind == pcp.InstanceLabels })
	found, err := ReadLabels(ctx, src, objects)
	var sets []pcp.LabelSet
	for i := range found {
		sets = append(sets, found[i].Sets...)
	}
	return slices.DeleteFunc(sets, func(s pcp.LabelSet) bool { return len(s.Labels) == 0 }), err
}

// Labels holds the labels of objects, and merges them for values.
type Labels struct {
	sets  map[LabelObject][]pcp.Label
	insts map[labelledInst][]pcp.Label
}

type labelledInst struct {
	indom uint32
	inst  int32
}

// Set sets the labels of an object.
func (l *Labels) Set(o LabelObject, labels pcp.ObjectLabels) {
	if l.sets == nil {
		l.sets, l.insts = make(map[LabelObject][]pcp.Label), make(map[labelledInst][]pcp.Label)
	}
	sets := labels.Sets
	for i := range sets {
		if o.Kind == pcp.InstanceLabels {
			l.insts[labelledInst{o.Ident, sets[i].Inst}] = sets[i].Labels
		} else {
			l.sets[o] = sets[i].Labels
		}
	}
}

// Of returns the labels of the value of an instance, ascending by name. Of labels with the same
// name it returns the one with the highest precedence.
func (l *Labels) Of(d pcp.Desc, inst int32) []pcp.Label {
	var sets [][]pcp.Label
	for _, o := range LabelObjects(d) {
		if o.Kind == pcp.InstanceLabels {
			sets = append(sets, l.insts[labelledInst{o.Ident, inst}])
		} else {
			sets = append(sets, l.sets[o])
		}
	}
	return pcp.MergeLabels(sets...)
}
