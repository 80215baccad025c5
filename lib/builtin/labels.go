package builtin

import (
	"context"
	"encoding/json"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Labels implements pmapi.Source.
func (s *Source) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, _ pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	return answers(ctx, s, idents, func(ctx context.Context, ident uint32) (pcp.ObjectLabels, error) {
		sets, err := s.labels(ctx, kind, ident)
		return pcp.ObjectLabels{Sets: sets}, err
	})
}

func (s *Source) labels(ctx context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	var domain uint32
	switch kind {
	case pcp.ContextLabels:
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: s.contextLabels()}}, nil
	case pcp.DomainLabels:
		domain = ident
	case pcp.InDomLabels, pcp.InstanceLabels:
		domain = pcp.InDom(ident).Domain()
	case pcp.ClusterLabels, pcp.ItemLabels:
		domain = pcp.ID(ident).Domain()
	default:
		return nil, pmerr.Type
	}
	m, err := s.serving(ctx, domain, pmerr.PMID)
	if err != nil {
		return nil, err
	}
	var sets []pcp.LabelSet
	if l, ok := m.provider.(pmda.Labeler); ok {
		if sets, err = l.Labels(ctx, s.client, kind, ident); err != nil {
			return nil, err
		}
	}
	if kind == pcp.DomainLabels && len(sets) == 0 && m.Name != "" {
		sets = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{textLabel("agent", m.Name, 0)}}}
	}
	return pmda.MarkLabels(sets, kind), nil
}

func textLabel(name, value string, flags uint8) pcp.Label {
	quoted, _ := json.Marshal(value) // encoding a string cannot fail
	return pcp.Label{Name: name, Value: string(quoted), Flags: flags}
}

// contextLabels returns the labels that a daemon would return for the host to a client on the same
// machine (wire.md W8.5).
func (s *Source) contextLabels() []pcp.Label {
	const own = uint8(pcp.ContextLabels)
	labels := []pcp.Label{
		textLabel("hostname", s.host.Name(), own),
		textLabel("domainname", s.host.Word("proc/sys/kernel/domainname", "(none)", "localdomain"), own),
		textLabel("machineid", s.host.Word("etc/machine-id", "", "localmachine"), own),
	}
	if gid, ok := s.client.Attrs[pmda.GroupID]; ok {
		labels = append(labels,
			pcp.Label{Name: "groupid", Value: gid, Flags: own | pcp.LabelOptional},
			pcp.Label{Name: "userid", Value: s.client.Attrs[pmda.UserID], Flags: own | pcp.LabelOptional})
	}
	return pcp.MergeLabels(append(s.host.Labels(), labels)...)
}
