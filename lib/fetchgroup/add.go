package fetchgroup

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Registration of metrics (FG3).

func (g *Group) describe(ctx context.Context, name string) (pcp.Desc, error) {
	if d, ok := g.known[name]; ok {
		return d, nil
	}
	found, err := g.pc.Metrics(ctx, []string{name})
	if err == nil {
		err = found[0].Err
	}
	if err != nil {
		return pcp.Desc{}, fmt.Errorf("%s: %w", name, err)
	}
	return found[0].Desc, nil
}

// instance resolves the name of an instance, NullInst for a metric without instances (FG3.2).
func (g *Group) instance(ctx context.Context, metric string, d pcp.Desc, name string) (int32, error) {
	switch {
	case d.InDom == pcp.NullInDom && name != "":
		return 0, fmt.Errorf("%s[%s]: %w: the metric has no instances", metric, name, pmerr.InDom)
	case d.InDom == pcp.NullInDom:
		return pcp.NullInst, nil
	case name == "":
		return 0, fmt.Errorf("%s: %w: the metric has instances: name one, as in METRIC[INSTANCE], or take all", metric, pmerr.InDom)
	}
	inst, err := g.pc.Source().LookupInst(ctx, d.InDom, name)
	if err != nil {
		return 0, fmt.Errorf("%s[%s]: %w", metric, name, err)
	}
	return inst, nil
}

// anywhere calls find, and if that fails in a recording, calls it again at the end, where a metric
// or an instance may have appeared. It restores the position (FG3.4).
func (g *Group) anywhere(ctx context.Context, find func() error) error {
	err := find()
	line, ok := pmapi.As[pmapi.Timeline](g.pc.Source())
	if err == nil || !ok {
		return err
	}
	origin := line.Origin()
	mode, delta := g.pc.Mode()
	_, end, bad := line.Bounds(ctx)
	if bad != nil || g.pc.SetMode(pcp.Back, &end, 0) != nil {
		return err
	}
	err = find()
	bad = g.pc.SetMode(mode, &origin, delta)
	return cmp.Or(err, bad)
}

func (g *Group) addItem(ctx context.Context, name, instance, scale string, out pcp.Type) (*item, error) {
	x := new(item)
	var d pcp.Desc
	if err := g.anywhere(ctx, func() (err error) {
		if d, err = g.describe(ctx, name); err == nil {
			x.inst, err = g.instance(ctx, name, d, instance)
		}
		return err
	}); err != nil {
		return nil, err
	}
	dom := g.narrow(d.InDom, x.inst) // before the checks, as in the reference: the others see the value
	if err := x.init(name, d, scale, out); err != nil {
		return nil, err
	}
	x.column = g.want(d.ID)
	if dom != nil {
		dom.items = append(dom.items, x)
	}
	g.items = append(g.items, x)
	x.clear()
	return x, nil
}

func (g *Group) addInDom(ctx context.Context, name, scale string, out pcp.Type) (*inDom, error) {
	d, err := g.describe(ctx, name)
	if err != nil {
		return nil, err
	}
	x := new(inDom)
	x.domain = g.widen(d.InDom) // before the checks, as in addItem
	if err := x.init(name, d, scale, out); err != nil {
		return nil, err
	}
	x.column = g.want(d.ID)
	if x.domain != nil {
		x.domain.inDoms = append(x.domain.inDoms, x)
	}
	g.items = append(g.items, x)
	x.clear()
	return x, nil
}

// addEvents registers a field of an event metric (FG10.1).
func (g *Group) addEvents(ctx context.Context, name, instance, field, scale string, out pcp.Type) (*events, error) {
	x := new(events)
	var d, f pcp.Desc
	if err := g.anywhere(ctx, func() (err error) {
		if d, err = g.describe(ctx, name); err == nil {
			x.inst, err = g.instance(ctx, name, d, instance)
		}
		if err == nil {
			f, err = g.field(ctx, field)
		}
		return err
	}); err != nil {
		return nil, err
	}
	if d.Type != pcp.Event && d.Type != pcp.HighResEvent {
		return nil, fmt.Errorf("%s: %w: the metric has no event records", name, pmerr.Type)
	}
	if err := x.init(field, f, scale, out); err != nil {
		return nil, err
	}
	if x.rate {
		return nil, fmt.Errorf("%s: %w: a field has no rate: try the scale %q", field, pmerr.Conv, "instant")
	}
	x.column = g.want(d.ID)
	g.narrow(d.InDom, x.inst)
	g.items = append(g.items, x)
	x.clear()
	return x, nil
}

func (g *Group) field(ctx context.Context, name string) (pcp.Desc, error) {
	switch name {
	case "event.flags":
		return eventFlags, nil
	case "event.missed":
		return eventMissed, nil
	}
	f, err := g.describe(ctx, name)
	if err == nil && f.InDom != pcp.NullInDom {
		err = fmt.Errorf("%s: %w: a field has no instances", name, pmerr.InDom)
	}
	return f, err
}

func (c *conversion) init(name string, d pcp.Desc, scale string, out pcp.Type) (err error) {
	if *c, err = newConversion(d, out, scale); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (g *Group) want(id pcp.ID) int {
	if at, ok := g.column[id]; ok {
		return at
	}
	g.ids = append(g.ids, id)
	g.column[id] = len(g.ids) - 1
	return len(g.ids) - 1
}

// domain returns the state of an instance domain, nil for NullInDom.
func (g *Group) domain(id pcp.InDom) (d *domain, fresh bool) {
	if id == pcp.NullInDom {
		return nil, false
	}
	if d = g.domains[id]; d == nil {
		d, fresh = &domain{id: id}, true
		g.domains[id] = d
	}
	return d, fresh
}

// narrow makes the profile select an instance (FG12).
func (g *Group) narrow(id pcp.InDom, inst int32) *domain {
	d, fresh := g.domain(id)
	if fresh {
		g.pc.Profile().Del(id)
	}
	if d != nil && !d.allInsts {
		g.pc.Profile().Add(id, inst)
	}
	return d
}

func (g *Group) widen(id pcp.InDom) *domain {
	d, fresh := g.domain(id)
	if d != nil && !d.allInsts {
		d.allInsts = true
		if !fresh {
			g.pc.Profile().Add(id)
		}
	}
	return d
}

// learn looks up many metrics with one request, for the next registrations, which look up unknown names again.
func (g *Group) learn(ctx context.Context, names []string) error {
	found, err := g.pc.Metrics(ctx, names)
	g.known = make(map[string]pcp.Desc, len(names))
	for _, m := range found {
		if m.Err == nil {
			g.known[m.Name] = m.Desc
		}
	}
	return err
}

type mark struct{ items, ids int }

func (g *Group) mark() mark { return mark{len(g.items), len(g.ids)} }

func (g *Group) back(m mark) {
	for _, id := range g.ids[m.ids:] {
		delete(g.column, id)
	}
	gone := g.items[m.items:]
	for _, d := range g.domains {
		d.items = slices.DeleteFunc(d.items, func(x *item) bool { return slices.Contains(gone, member(x)) })
		d.inDoms = slices.DeleteFunc(d.inDoms, func(x *inDom) bool { return slices.Contains(gone, member(x)) })
	}
	g.items, g.ids = g.items[:m.items:m.items], g.ids[:m.ids:m.ids]
}
