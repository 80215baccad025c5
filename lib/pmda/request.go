package pmda

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// sortedKeys returns the keys of a map in their order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// doFetch answers a Fetch.
func (s *Server) doFetch(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	if err := s.fetch.Decode(body); err != nil {
		return nil, err
	}
	s.request = Request{Client: c, IDs: s.fetch.IDs, Profile: s.profile}
	if err := s.Provider.Fetch(ctx, &s.request, &s.result); err != nil {
		return nil, err
	}
	if len(s.result.Sets) != len(s.fetch.IDs) {
		return nil, fmt.Errorf("%w: %d value sets for %d metrics", pmerr.Generic, len(s.result.Sets), len(s.fetch.IDs))
	}
	// The seconds of the time tell of changes (wire.md W9.3).
	s.result.Time = pcp.Timestamp{Sec: int64(s.result.Changes & (pcp.LabelsChanged | pcp.NamesChanged))}
	return &pdu.Result{Values: &s.result}, nil
}

// doDesc answers a DescReq.
func (s *Server) doDesc(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.DescReq
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	d, err := s.Provider.Desc(ctx, c, m.ID)
	return &pdu.Desc{Desc: d}, err
}

// doInstance answers an InstanceReq (collector.md C3.4).
func (s *Server) doInstance(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.InstanceReq
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	answer := &pdu.Instance{InDom: m.InDom}
	if m.Inst != pcp.NullInst && m.Name != "" {
		return nil, pmerr.Inst
	}
	if f, ok := s.Provider.(InstanceFinder); ok && m.Name != "" {
		id, err := f.FindInstance(ctx, c, m.InDom, m.Name)
		answer.Instances = []pcp.Instance{{ID: id}}
		return answer, err
	}
	list, err := s.Provider.Instances(ctx, c, m.InDom)
	switch {
	case err != nil:
		return nil, err
	case m.Name != "":
		id, err := findInstance(list, m.Name)
		answer.Instances = []pcp.Instance{{ID: id}}
		return answer, err
	case m.Inst == pcp.NullInst:
		answer.Instances = list
		return answer, nil
	}
	for _, i := range list {
		if i.ID == m.Inst {
			answer.Instances = []pcp.Instance{{ID: pcp.NullInst, Name: i.Name}}
			return answer, nil
		}
	}
	return nil, pmerr.Inst
}

// doText answers a TextReq.
func (s *Server) doText(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.TextReq
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	t, ok := s.Provider.(Texter)
	if s.Help != nil {
		t, ok = s.Help, true
	}
	if !ok {
		return nil, pmerr.Text
	}
	answer := &pdu.Text{Ident: m.Ident}
	var err error
	if m.InDom {
		answer.Text, err = t.InDomText(ctx, c, pcp.InDom(m.Ident), m.Kind)
	} else {
		answer.Text, err = t.Text(ctx, c, pcp.ID(m.Ident), m.Kind)
	}
	return answer, err
}

// doLabel answers a LabelReq.
func (s *Server) doLabel(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.LabelReq
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	switch m.Kind {
	case pcp.ContextLabels, pcp.DomainLabels, pcp.InDomLabels, pcp.ClusterLabels, pcp.ItemLabels, pcp.InstanceLabels:
	default:
		return nil, pmerr.Type
	}
	answer := &pdu.Label{Ident: m.Ident, Kind: m.Kind}
	l, ok := s.Provider.(Labeler)
	if !ok {
		return answer, nil
	}
	sets, err := l.Labels(ctx, c, m.Kind, m.Ident)
	if m.Kind == pcp.InstanceLabels {
		sets = s.selected(pcp.InDom(m.Ident), sets)
	}
	for _, set := range sets {
		labels := slices.Clone(set.Labels)
		for i := range labels {
			labels[i].Flags |= uint8(m.Kind)
		}
		answer.Sets = append(answer.Sets, pcp.LabelSet{Inst: set.Inst, Err: set.Err, Labels: labels})
	}
	return answer, err
}

// selected returns the label sets of the instances that the client's profile selects. If there were
// sets and none is left, it is the empty set of no instance, as with the reference.
func (s *Server) selected(d pcp.InDom, sets []pcp.LabelSet) []pcp.LabelSet {
	if s.profile.All() || len(sets) == 0 {
		return sets
	}
	var left []pcp.LabelSet
	for _, set := range sets {
		if s.profile.Selects(d, set.Inst) {
			left = append(left, set)
		}
	}
	if left == nil {
		left = []pcp.LabelSet{{Inst: pcp.NullInst}}
	}
	return left
}

// doStore answers a Result: what is to be stored. A code of 0 is success.
func (s *Server) doStore(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	s.store.TypeOf = func(id pcp.ID) pcp.Type {
		if d, err := s.Provider.Desc(ctx, c, id); err == nil {
			return d.Type
		}
		return pcp.Unknown
	}
	if err := s.store.Decode(body); err != nil {
		return nil, err
	}
	st, ok := s.Provider.(Storer)
	if !ok {
		return nil, pmerr.Permission
	}
	return new(pdu.Error), st.Store(ctx, c, s.store.Values.Sets)
}

// doNames answers Names, the question for the metric of a name.
func (s *Server) doNames(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.Names
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	n, ok := s.Provider.(Namer)
	switch {
	case len(m.Names) != 1:
		return nil, fmt.Errorf("%w: %d names", pdu.ErrFormat, len(m.Names))
	case !ok:
		return nil, pmerr.Name
	}
	id, err := n.LookupName(ctx, c, m.Names[0])
	return &pdu.IDs{Status: 1, IDs: []pcp.ID{id}}, err
}

// doIDs answers IDs, the question for the names of a metric.
func (s *Server) doIDs(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.IDs
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	n, ok := s.Provider.(Namer)
	switch {
	case len(m.IDs) != 1:
		return nil, fmt.Errorf("%w: %d metrics", pdu.ErrFormat, len(m.IDs))
	case !ok:
		return nil, pmerr.PMID
	}
	names, err := n.NamesOf(ctx, c, m.IDs[0])
	return &pdu.Names{Names: names}, err
}

// doChild answers a Child.
func (s *Server) doChild(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.Child
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	n, ok := s.Provider.(Namer)
	if !ok {
		return nil, pmerr.Name
	}
	children, err := n.Children(ctx, c, m.Name)
	answer := new(pdu.Names)
	for _, ch := range children {
		answer.Names = append(answer.Names, ch.Name)
		switch {
		case m.Status && ch.Leaf:
			answer.Status = append(answer.Status, pdu.Leaf)
		case m.Status:
			answer.Status = append(answer.Status, pdu.NonLeaf)
		}
	}
	return answer, err
}

// doTraverse answers a Traverse.
func (s *Server) doTraverse(ctx context.Context, c *Client, body []byte) (pdu.Message, error) {
	var m pdu.Traverse
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	n, ok := s.Provider.(Namer)
	if !ok {
		return nil, pmerr.Name
	}
	names, err := n.Leaves(ctx, c, m.Name)
	return &pdu.Names{Names: names}, err
}
