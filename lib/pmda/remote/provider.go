package remote

import (
	"bytes"
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// number returns the number of a client; nil is client 0.
func number(c *pmda.Client) int32 {
	if c == nil {
		return 0
	}
	return c.Number
}

// Domain implements pmda.Provider.
func (a *Agent) Domain() uint32 { return a.opts.Domain }

// Names implements pmda.Provider. Options has the names.
func (a *Agent) Names() []pmda.Name { return a.opts.Names }

// Desc implements pmda.Provider.
func (a *Agent) Desc(ctx context.Context, c *pmda.Client, id pcp.ID) (pcp.Desc, error) {
	var m pdu.Desc
	if err := a.Ask(ctx, number(c), &pdu.DescReq{ID: id}, &m); err != nil {
		return pcp.Desc{}, err
	}
	if m.Desc.ID != id {
		return pcp.Desc{}, fmt.Errorf("%w: the description of %v is one of %v", pmerr.Generic, id, m.Desc.ID)
	}
	a.types[id] = m.Desc.Type
	return m.Desc, nil
}

// Instances implements pmda.Provider.
func (a *Agent) Instances(ctx context.Context, c *pmda.Client, d pcp.InDom) ([]pcp.Instance, error) {
	return a.instances(ctx, c, &pdu.InstanceReq{InDom: d, Inst: pcp.NullInst})
}

// FindInstance implements pmda.InstanceFinder.
func (a *Agent) FindInstance(ctx context.Context, c *pmda.Client, d pcp.InDom, name string) (int32, error) {
	one, err := a.instance(ctx, c, &pdu.InstanceReq{InDom: d, Inst: pcp.NullInst, Name: name})
	return one.ID, err
}

// InstanceName asks for the name of an instance.
func (a *Agent) InstanceName(ctx context.Context, c *pmda.Client, d pcp.InDom, inst int32) (string, error) {
	one, err := a.instance(ctx, c, &pdu.InstanceReq{InDom: d, Inst: inst})
	return one.Name, err
}

func (a *Agent) instances(ctx context.Context, c *pmda.Client, req *pdu.InstanceReq) ([]pcp.Instance, error) {
	var m pdu.Instance
	if err := a.Ask(ctx, number(c), req, &m); err != nil {
		return nil, err
	}
	return m.Instances, nil
}

func (a *Agent) instance(ctx context.Context, c *pmda.Client, req *pdu.InstanceReq) (pcp.Instance, error) {
	list, err := a.instances(ctx, c, req)
	switch {
	case err != nil:
		return pcp.Instance{}, err
	case len(list) != 1:
		return pcp.Instance{}, fmt.Errorf("%w: %d answers for one", pmerr.Inst, len(list))
	}
	return list[0], nil
}

// Fetch implements pmda.Provider. A metric's description is requested before its first values,
// because values carry no type.
func (a *Agent) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	for _, id := range req.IDs {
		if _, known := a.types[id]; known {
			continue
		}
		if _, err := a.Desc(ctx, req.Client, id); err != nil && (a.err != nil || ctx.Err() != nil) {
			return err
		}
	}
	return a.fetchRaw(ctx, req, func(id pcp.ID) pcp.Type {
		if t, ok := a.types[id]; ok {
			return t
		}
		return pcp.Unknown
	}, dst)
}

// fetchRaw is Fetch without descriptions: typeOf returns the type of a metric, nil leaves it to the
// values, as [pdu.Result] has it.
func (a *Agent) fetchRaw(ctx context.Context, req *pmda.Request, typeOf func(pcp.ID) pcp.Type, dst *pcp.Result) error {
	n := number(req.Client)
	if err := a.sendProfile(n, req.Profile); err != nil {
		return err
	}
	a.result = pdu.Result{Values: dst, TypeOf: typeOf, Most: len(req.IDs)}
	if err := a.Ask(ctx, n, &pdu.Fetch{Slot: n, IDs: req.IDs}, &a.result); err != nil {
		return err
	}
	// The seconds of the time announce changes (wire.md W9.3).
	dst.Changes, dst.Time = pcp.Changes(dst.Time.Sec), pcp.Timestamp{}
	if len(dst.Sets) != len(req.IDs) {
		return fmt.Errorf("%w: values of %d metrics where %d were asked for", pmerr.Generic, len(dst.Sets), len(req.IDs))
	}
	return nil
}

// sendProfile sends the profile of a client, unless the same was sent last.
func (a *Agent) sendProfile(client int32, p *pcp.Profile) error {
	if a.profile == nil && p.All() {
		return nil // as without any
	}
	m := pdu.Profile{Slot: client}
	m.Exclude, m.Entries = p.Entries()
	b, err := m.Encode(nil)
	if err != nil || a.client == client && bytes.Equal(b, a.profile) {
		return err
	}
	a.client, a.profile = client, b
	return a.Send(&m, client)
}

// Text implements pmda.Texter.
func (a *Agent) Text(ctx context.Context, c *pmda.Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	return a.text(ctx, c, &pdu.TextReq{Ident: uint32(id), Kind: kind})
}

// InDomText implements pmda.Texter.
func (a *Agent) InDomText(ctx context.Context, c *pmda.Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	return a.text(ctx, c, &pdu.TextReq{Ident: uint32(d), InDom: true, Kind: kind})
}

func (a *Agent) text(ctx context.Context, c *pmda.Client, req *pdu.TextReq) (string, error) {
	var m pdu.Text
	err := a.Ask(ctx, number(c), req, &m)
	return m.Text, err
}

// Labels implements pmda.Labeler.
func (a *Agent) Labels(ctx context.Context, c *pmda.Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	var m pdu.Label
	err := a.Ask(ctx, number(c), &pdu.LabelReq{Ident: ident, Kind: kind}, &m)
	return m.Sets, err
}

// Store implements pmda.Storer.
func (a *Agent) Store(ctx context.Context, c *pmda.Client, sets []pcp.Values) error {
	return a.Ask(ctx, number(c), &pdu.Result{Values: &pcp.Result{Sets: sets}}, new(pdu.Error))
}

// LookupName implements pmda.Namer.
func (a *Agent) LookupName(ctx context.Context, c *pmda.Client, name string) (pcp.ID, error) {
	var m pdu.IDs
	if err := a.Ask(ctx, number(c), &pdu.Names{Names: []string{name}}, &m); err != nil {
		return pcp.NullID, err
	}
	switch {
	case m.Status < 0:
		return pcp.NullID, pmerr.Code(m.Status)
	case len(m.IDs) != 1:
		return pcp.NullID, fmt.Errorf("%w: %d answers for one", pmerr.Name, len(m.IDs))
	}
	return m.IDs[0], nil
}

// NamesOf implements pmda.Namer.
func (a *Agent) NamesOf(ctx context.Context, c *pmda.Client, id pcp.ID) ([]string, error) {
	m, err := a.names(ctx, c, &pdu.IDs{IDs: []pcp.ID{id}})
	return m.Names, err
}

// Children implements pmda.Namer.
func (a *Agent) Children(ctx context.Context, c *pmda.Client, name string) ([]pcp.Child, error) {
	m, err := a.names(ctx, c, &pdu.Child{Name: name, Status: true})
	if err == nil && len(m.Names) > 0 && len(m.Status) != len(m.Names) {
		err = fmt.Errorf("%w: %d children with %d states", pmerr.IPC, len(m.Names), len(m.Status))
	}
	if err != nil {
		return nil, err
	}
	var list []pcp.Child
	for i, n := range m.Names {
		list = append(list, pcp.Child{Name: n, Leaf: m.Status[i] == pdu.Leaf})
	}
	return list, nil
}

// Leaves implements pmda.Namer.
func (a *Agent) Leaves(ctx context.Context, c *pmda.Client, name string) ([]string, error) {
	m, err := a.names(ctx, c, &pdu.Traverse{Name: name})
	return m.Names, err
}

func (a *Agent) names(ctx context.Context, c *pmda.Client, req pdu.Message) (pdu.Names, error) {
	var m pdu.Names
	err := a.Ask(ctx, number(c), req, &m)
	if err == nil && m.Err != 0 {
		err = m.Err
	}
	return m, err
}

// SetAttr implements pmda.ClientWatcher: it sends an attribute of a client to an agent that wants
// them.
func (a *Agent) SetAttr(c *pmda.Client, code pdu.AttrCode) {
	if a.wants() {
		// A connection that breaks shows at the next request.
		_ = a.Send(&pdu.Attr{Code: code, Value: append([]byte(c.Attrs[code]), 0)}, c.Number)
	}
}

// EndClient implements pmda.ClientWatcher.
func (a *Agent) EndClient(c *pmda.Client) {
	_ = a.Send(&pdu.Error{Code: pmerr.NotConn}, c.Number)
}
