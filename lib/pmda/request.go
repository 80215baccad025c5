package pmda

import (
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// message returns the value for decoding a request of a type, nil for a type without an answer.
func (s *Server) message(t pdu.Type) pdu.Message {
	switch t {
	case pdu.TypeFetch:
		return &s.fetch
	case pdu.TypeResult:
		return &s.store
	case pdu.TypeDescReq, pdu.TypeInstanceReq, pdu.TypeTextReq, pdu.TypeLabelReq, pdu.TypeNames, pdu.TypeIDs, pdu.TypeChild, pdu.TypeTraverse:
		return pdu.New(t)
	}
	return nil
}

// reply decodes a request into m and carries it out, unless the provider answers none now.
func (s *Server) reply(ctx context.Context, c *Client, f pdu.Frame, m pdu.Message) (pdu.Message, error) {
	if ch, ok := s.Provider.(Checker); ok {
		if err := ch.Check(ctx, c); err != nil {
			return nil, err
		}
	}
	if r, ok := m.(*pdu.Result); ok {
		r.TypeOf = func(id pcp.ID) pcp.Type {
			if d, err := s.Provider.Desc(ctx, c, id); err == nil {
				return d.Type
			}
			return pcp.Unknown
		}
	}
	if err := m.Decode(f.Body); err != nil {
		return nil, err
	}
	return s.do(ctx, c, m)
}

func (s *Server) do(ctx context.Context, c *Client, m pdu.Message) (pdu.Message, error) {
	switch m := m.(type) {
	case *pdu.Fetch:
		return s.doFetch(ctx, c, m)
	case *pdu.DescReq:
		d, err := s.Provider.Desc(ctx, c, m.ID)
		return &pdu.Desc{Desc: d}, err
	case *pdu.InstanceReq:
		return s.doInstance(ctx, c, m)
	case *pdu.TextReq:
		return s.doText(ctx, c, m)
	case *pdu.LabelReq:
		return s.doLabel(ctx, c, m)
	case *pdu.Result:
		return s.doStore(ctx, c, m)
	case *pdu.Names:
		return s.doNames(ctx, c, m)
	case *pdu.IDs:
		return s.doIDs(ctx, c, m)
	case *pdu.Child:
		return s.doChild(ctx, c, m)
	case *pdu.Traverse:
		return s.doTraverse(ctx, c, m)
	}
	return nil, pdu.ErrFormat
}

func (s *Server) doFetch(ctx context.Context, c *Client, m *pdu.Fetch) (pdu.Message, error) {
	s.request = Request{Client: c, IDs: m.IDs, Profile: s.profile}
	if err := s.Provider.Fetch(ctx, &s.request, &s.result); err != nil {
		return nil, err
	}
	if len(s.result.Sets) != len(m.IDs) {
		return nil, fmt.Errorf("%w: %d value sets for %d metrics", pmerr.Generic, len(s.result.Sets), len(m.IDs))
	}
	// The seconds of the time announce changes (wire.md W9.3).
	s.result.Time = pcp.Timestamp{Sec: int64(s.result.Changes & (pcp.LabelsChanged | pcp.NamesChanged))}
	return &pdu.Result{Values: &s.result}, nil
}

// doInstance answers an InstanceReq (collector.md C3.4).
func (s *Server) doInstance(ctx context.Context, c *Client, m *pdu.InstanceReq) (pdu.Message, error) {
	answer := &pdu.Instance{InDom: m.InDom}
	if m.Inst != pcp.NullInst && m.Name != "" {
		return nil, pmerr.Inst
	}
	if m.Name != "" {
		id, err := FindInstance(ctx, s.Provider, c, m.InDom, m.Name)
		answer.Instances = []pcp.Instance{{ID: id}}
		return answer, err
	}
	list, err := s.Provider.Instances(ctx, c, m.InDom)
	if err != nil || m.Inst == pcp.NullInst {
		answer.Instances = list
		return answer, err
	}
	name, err := InstanceName(list, m.Inst)
	answer.Instances = []pcp.Instance{{ID: pcp.NullInst, Name: name}}
	return answer, err
}

func (s *Server) doText(ctx context.Context, c *Client, m *pdu.TextReq) (pdu.Message, error) {
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

func (s *Server) doLabel(ctx context.Context, c *Client, m *pdu.LabelReq) (pdu.Message, error) {
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
	answer.Sets = MarkLabels(sets, m.Kind)
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

// doStore answers a Result with values to store. A code of 0 is success.
func (s *Server) doStore(ctx context.Context, c *Client, m *pdu.Result) (pdu.Message, error) {
	st, ok := s.Provider.(Storer)
	if !ok {
		return nil, pmerr.Permission
	}
	return new(pdu.Error), st.Store(ctx, c, m.Values.Sets)
}

// doNames answers Names, the question for the metric of a name.
func (s *Server) doNames(ctx context.Context, c *Client, m *pdu.Names) (pdu.Message, error) {
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
func (s *Server) doIDs(ctx context.Context, c *Client, m *pdu.IDs) (pdu.Message, error) {
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

func (s *Server) doChild(ctx context.Context, c *Client, m *pdu.Child) (pdu.Message, error) {
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

func (s *Server) doTraverse(ctx context.Context, c *Client, m *pdu.Traverse) (pdu.Message, error) {
	n, ok := s.Provider.(Namer)
	if !ok {
		return nil, pmerr.Name
	}
	names, err := n.Leaves(ctx, c, m.Name)
	return &pdu.Names{Names: names}, err
}
