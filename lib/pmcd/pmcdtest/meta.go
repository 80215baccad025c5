package pmcdtest

import (
	"math/bits"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func (w *World) desc(id pcp.ID) []pdu.Message {
	switch m := w.metric(id); {
	case m == nil:
		return refuse(pmerr.PMID)
	case m.DescErr != 0:
		return refuse(m.DescErr)
	default:
		return []pdu.Message{&pdu.Desc{Desc: m.Desc}}
	}
}

// descs answers with descriptions; one alone that fails is an error.
func (w *World) descs(ids []pcp.ID) []pdu.Message {
	if len(ids) == 1 {
		if d, ok := w.desc(ids[0])[0].(*pdu.Error); ok {
			return []pdu.Message{d}
		}
	}
	out := &pdu.Descs{}
	for _, id := range ids {
		d := pcp.Desc{ID: pcp.NullID}
		if m := w.metric(id); m != nil && m.DescErr == 0 {
			d = m.Desc
		}
		out.Descs = append(out.Descs, d)
	}
	return []pdu.Message{out}
}

// instance answers one of the three questions about instances (wire.md W5.9).
func (w *World) instance(m *pdu.InstanceReq) []pdu.Message {
	d := w.indom(m.InDom)
	if d == nil {
		return refuse(pmerr.InDom)
	}
	out := &pdu.Instance{InDom: m.InDom}
	switch {
	case m.Inst == pcp.NullInst && m.Name == "":
		out.Instances = d.Instances
	case m.Name != "":
		i := slices.IndexFunc(d.Instances, func(i pcp.Instance) bool {
			first, _, _ := strings.Cut(i.Name, " ")
			return i.Name == m.Name || !d.WholeNames && first == m.Name
		})
		if i < 0 {
			return refuse(pmerr.Inst)
		}
		out.Instances = []pcp.Instance{{ID: d.Instances[i].ID}}
	default:
		i := slices.IndexFunc(d.Instances, func(i pcp.Instance) bool { return i.ID == m.Inst })
		if i < 0 {
			return refuse(pmerr.Inst)
		}
		out.Instances = []pcp.Instance{{ID: pcp.NullInst, Name: d.Instances[i].Name}}
	}
	return []pdu.Message{out}
}

// text answers with a help text. Only the full one may be empty.
func (w *World) text(m *pdu.TextReq) []pdu.Message {
	var text, help string
	d, x := w.indom(pcp.InDom(m.Ident)), w.metric(pcp.ID(m.Ident))
	switch {
	case m.InDom && d == nil:
		return refuse(pmerr.InDom)
	case m.InDom:
		text, help = d.OneLine, d.Help
	case x == nil:
		return refuse(pmerr.PMID)
	default:
		text, help = x.OneLine, x.Help
	}
	if m.Kind == pcp.Help {
		text = help
	} else if text == "" {
		return refuse(pmerr.Text)
	}
	return []pdu.Message{&pdu.Text{Ident: bits.ReverseBytes32(m.Ident), Text: text}} // as agents send it
}

func (w *World) label(m *pdu.LabelReq) []pdu.Message {
	switch m.Kind {
	case pcp.ContextLabels, pcp.DomainLabels, pcp.ClusterLabels:
	case pcp.ItemLabels:
		if w.metric(pcp.ID(m.Ident)) == nil {
			return refuse(pmerr.PMID)
		}
	case pcp.InDomLabels, pcp.InstanceLabels:
		if w.indom(pcp.InDom(m.Ident)) == nil {
			return refuse(pmerr.InDom)
		}
	default:
		return refuse(pmerr.Type)
	}
	return []pdu.Message{&pdu.Label{Ident: m.Ident, Kind: m.Kind, Sets: w.Labels[LabelKey{m.Kind, m.Ident}]}}
}
