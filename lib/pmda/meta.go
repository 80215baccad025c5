package pmda

import (
	"context"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Text implements Texter.
func (a *Agent) Text(_ context.Context, _ *Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	m := a.rows[id]
	if m == nil {
		return "", pmerr.Text
	}
	return text(m.OneLine, m.Help, kind)
}

// InDomText implements Texter.
func (a *Agent) InDomText(_ context.Context, _ *Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	in, err := a.inDom(d)
	if err != nil {
		return "", pmerr.Text
	}
	return text(in.OneLine, in.Help, kind)
}

// text returns one of two help texts. If only one of the two exists, the other is empty, as in the
// reference's files.
func text(oneLine, help string, kind pcp.TextKind) (string, error) {
	switch {
	case oneLine == "" && help == "":
		return "", pmerr.Text
	case kind == pcp.OneLine:
		return oneLine, nil
	}
	return help, nil
}

// Labels implements Labeler.
func (a *Agent) Labels(ctx context.Context, c *Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	text := ""
	switch id := pcp.ID(ident); kind {
	case pcp.ContextLabels:
	case pcp.DomainLabels:
		text = a.table.Labels
	case pcp.InDomLabels:
		if d, err := a.inDom(pcp.InDom(ident)); err == nil {
			text = d.Labels
		}
	case pcp.ClusterLabels:
		if a.table.ClusterLabels != nil {
			text = a.table.ClusterLabels(id.Cluster())
		}
	case pcp.ItemLabels:
		if m := a.rows[id]; m != nil {
			text = m.Labels
		}
	case pcp.InstanceLabels:
		return a.instanceLabels(ctx, c, pcp.InDom(ident))
	default:
		return nil, pmerr.Type
	}
	labels, err := pcp.ParseLabels(text, 0)
	if err != nil || len(labels) == 0 {
		return nil, err
	}
	return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: labels}}, nil
}

// instanceLabels returns the labels of each instance. As in the reference, sets may be empty.
func (a *Agent) instanceLabels(ctx context.Context, c *Client, d pcp.InDom) ([]pcp.LabelSet, error) {
	in, err := a.inDom(d)
	if err != nil || in.InstLabels == nil {
		return nil, nil
	}
	list, err := a.Instances(ctx, c, d)
	if err != nil {
		return nil, err
	}
	var sets []pcp.LabelSet
	for _, i := range list {
		labels, err := pcp.ParseLabels(in.InstLabels(i.ID), 0)
		if err != nil {
			return nil, err
		}
		sets = append(sets, pcp.LabelSet{Inst: i.ID, Labels: labels})
	}
	return sets, nil
}

// MarkLabels returns a copy of label sets whose labels have the level among their flags.
func MarkLabels(sets []pcp.LabelSet, kind pcp.LabelKind) []pcp.LabelSet {
	out := slices.Clone(sets)
	for i := range out {
		out[i].Labels = slices.Clone(out[i].Labels)
		for j := range out[i].Labels {
			out[i].Labels[j].Flags |= uint8(kind)
		}
	}
	return out
}

// Store implements Storer. If no metric of the table has a Store, every request is refused with
// pmerr.Permission, for unknown metrics too, as the reference does.
func (a *Agent) Store(_ context.Context, c *Client, sets []pcp.Values) error {
	if !a.stores {
		return pmerr.Permission
	}
	for i := range sets {
		v := &sets[i]
		m := a.rows[v.ID]
		switch {
		case m == nil:
			return pmerr.PMID
		case m.Store == nil:
			return pmerr.Permission
		case v.Len() == 0 || v.Odd != nil:
			return pmerr.BadStore
		}
		if err := m.Store(c, v); err != nil {
			return err
		}
	}
	return nil
}
