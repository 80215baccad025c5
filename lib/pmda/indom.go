package pmda

import (
	"context"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Instances implements Provider.
func (a *Agent) Instances(ctx context.Context, c *Client, d pcp.InDom) ([]pcp.Instance, error) {
	a.request++
	in, err := a.inDom(d)
	if err != nil {
		return nil, err
	}
	return a.instances(ctx, &Request{Client: c}, in)
}

// FindInstance implements InstanceFinder. In a domain with a Cache, names are compared up to their
// first blank. In other domains, name must equal the whole name, or, if it has no blank, the text
// before the first blank.
func (a *Agent) FindInstance(ctx context.Context, c *Client, d pcp.InDom, name string) (int32, error) {
	list, err := a.Instances(ctx, c, d)
	if err != nil {
		return 0, err
	}
	if in, _ := a.inDom(d); in.Cache != nil {
		name, _, _ = strings.Cut(name, " ")
	}
	return findInstance(list, name)
}

// FindInstance asks a provider for the instance of a name; see InstanceFinder.
func FindInstance(ctx context.Context, p Provider, c *Client, d pcp.InDom, name string) (int32, error) {
	if f, ok := p.(InstanceFinder); ok {
		return f.FindInstance(ctx, c, d, name)
	}
	list, err := p.Instances(ctx, c, d)
	if err != nil {
		return 0, err
	}
	return findInstance(list, name)
}

// findInstance returns the instance that is called name, or pmerr.Inst (collector.md C3.4).
func findInstance(list []pcp.Instance, name string) (int32, error) {
	if inst, ok := pcp.FindInstance(list, name); ok {
		return inst, nil
	}
	return 0, pmerr.Inst
}

// InstanceName returns the name of an instance in a list, or pmerr.Inst.
func InstanceName(list []pcp.Instance, inst int32) (string, error) {
	i := slices.IndexFunc(list, func(i pcp.Instance) bool { return i.ID == inst })
	if i < 0 {
		return "", pmerr.Inst
	}
	return list[i].Name, nil
}

// Numbered returns instances with these names, numbered from first on.
func Numbered(first int32, names ...string) []pcp.Instance {
	list := make([]pcp.Instance, len(names))
	for i, name := range names {
		list[i] = pcp.Instance{ID: first + int32(i), Name: name}
	}
	return list
}

// NoLabels is for InDom.InstLabels: each instance has labels, but the set is empty.
func NoLabels(int32) string { return "" }

func (a *Agent) inDom(d pcp.InDom) (*InDom, error) {
	if in := a.indoms[d.Serial()]; in != nil && d == a.InDomID(in) {
		return in, nil
	}
	return nil, pmerr.InDom
}

func (a *Agent) instances(ctx context.Context, req *Request, d *InDom) ([]pcp.Instance, error) {
	if err := a.read(ctx, req, d.Needs); err != nil {
		return nil, err
	}
	switch {
	case d.Cache != nil:
		return d.Cache.Active(), nil
	case d.List != nil:
		return d.List()
	}
	return d.Instances, nil
}
