package derive

import (
	"context"

	"pmtools/lib/pcp"
)

// Lookup resolves names, those below first. The name of an invalid derived metric resolves too.
func (s *Source) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	found, err := s.base.Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	o := s.set.settings.Observer()
	for i := range found {
		if o != nil {
			o.LookedUp(s.resolution(names[i], found[i].Value, found[i].Err))
		}
		if found[i].Err == nil {
			continue
		}
		if m := s.named(names[i]); m != nil {
			found[i] = pcp.Answer[pcp.ID]{Value: m.id}
		}
	}
	return found, nil
}

// Names returns the names of a metric, valid or not.
func (s *Source) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if m := s.byID(id); m != nil {
		return []string{m.name}, nil
	}
	return s.base.Names(ctx, id)
}

// below binds the visible metrics at and below a node of the name space, in the order of their
// definition, and returns the names of the valid ones. Over names alone nothing can be bound: then
// it returns the names that the Source below does not have. It shows the metrics to l.
func (s *Source) below(ctx context.Context, node string, l *Listing) ([]addedName, error) {
	var list []*metric
	var all []string
	for m := range s.all() {
		if m.name != "" && s.visible(m) && below(m.name, node) {
			list, all = append(list, m), append(all, m.name)
		}
	}
	var out []addedName
	if s.alone {
		found, err := s.base.Lookup(ctx, all)
		for i, r := range found {
			if l.add(list[i]); r.Err != nil {
				out = append(out, addedName{Name: list[i].name, ID: list[i].id})
			}
		}
		return out, err
	}
	e := s.newEnv(ctx, used)
	if err := e.bindAll(list, l); err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.state == valid {
			out = append(out, addedName{Name: m.name, ID: m.id})
		}
	}
	return out, nil
}

// Children returns the children of a node: first those in the Source below, then valid derived
// metrics in the order of their definition.
func (s *Source) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	l := s.listing(name, false)
	list, err := s.below(ctx, name, l)
	if err != nil {
		return nil, err
	}
	children, err := s.base.Children(ctx, name)
	l.done(len(children), err)
	if err != nil && (len(list) == 0 || !unknownName(err)) {
		return nil, err
	}
	return addChildren(children, name, list), nil
}

// Walk calls f for each leaf at or below name. Over a daemon all names below come first; over an
// archive, and over names alone, each node has its own derived children after those below.
func (s *Source) Walk(ctx context.Context, name string, ids bool, f func(name string, id pcp.ID) bool) error {
	if err := s.open(); err != nil {
		return err
	}
	nodes := s.recorded || s.alone
	var l *Listing
	if !nodes {
		l = s.listing(name, true)
	} else if s.set.settings.Observer() != nil {
		s.visit(ctx, name)
	}
	list, err := s.below(ctx, name, l)
	switch {
	case err != nil:
		return err
	case len(list) == 0:
		return s.base.Walk(ctx, name, ids, f)
	case nodes:
		return walkNodes(ctx, s.base, name, ids, list, f)
	}
	return walkAdded(ctx, s.base, name, ids, list, f)
}

// visit shows the nodes at and below name to the Observer.
func (s *Source) visit(ctx context.Context, name string) {
	children, _ := s.Children(ctx, name) // the walk itself returns the error
	for _, c := range children {
		s.visit(ctx, joinName(name, c.Name))
	}
}
