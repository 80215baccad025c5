package mmv

import (
	"context"
	"slices"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Labels implements pmda.Labeler.
func (m *collector) Labels(ctx context.Context, c *pmda.Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	cluster, number := pcp.ID(ident).Cluster(), pcp.ID(ident).Item()
	insts := []int32{pcp.NullInst}
	switch kind {
	case pcp.ClusterLabels, pcp.ItemLabels:
	case pcp.InDomLabels, pcp.InstanceLabels:
		cluster, number = pcp.InDom(ident).Serial()>>11, pcp.InDom(ident).Serial()&(1<<11-1)
		if kind == pcp.InDomLabels {
			break
		}
		list, err := m.Instances(ctx, c, pcp.InDom(ident))
		if err != nil {
			return nil, err
		}
		insts = insts[:0]
		for _, i := range list {
			insts = append(insts, i.ID)
		}
	default:
		return m.Agent.Labels(ctx, c, kind, ident)
	}
	var sets []pcp.LabelSet
	for _, inst := range insts {
		if labels := m.labels(kind, cluster, number, inst); len(labels) > 0 || kind == pcp.InstanceLabels {
			sets = append(sets, pcp.LabelSet{Inst: inst, Labels: labels})
		}
	}
	return sets, nil
}

// labels returns the labels in files. Labels that are not JSON objects are left out.
func (m *collector) labels(kind pcp.LabelKind, cluster, number uint32, inst int32) []pcp.Label {
	var sets [][]pcp.Label
	for _, f := range m.clusters[cluster] {
		for _, l := range f.Labels {
			if !f.isFor(&l, kind, number, inst) {
				continue
			}
			flags := uint8(0)
			if l.Optional {
				flags = pcp.LabelOptional
			}
			if labels, err := pcp.ParseLabels(l.Text, flags); err == nil {
				sets = append(sets, labels)
			}
		}
	}
	return slices.Clip(pcp.MergeLabels(sets...))
}

// isFor reports whether a label is meant for something in the file's cluster. Those of the cluster
// bear the number that the file has for it, which may be 0.
func (f *file) isFor(l *mmv.Label, kind pcp.LabelKind, number uint32, inst int32) bool {
	switch {
	case l.Kind != kind:
		return false
	case kind == pcp.ClusterLabels:
		return l.Ident == uint32(f.Cluster) || l.Ident == f.cluster
	case kind == pcp.InstanceLabels && l.Inst != inst:
		return false
	}
	return l.Ident == number
}
