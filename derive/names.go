package derive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Lookup resolves names, those below first. The name of an invalid derived metric resolves too.
func (s *Source) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	s.sync()
	found, err := s.base.Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	o := s.reg.Observer()
	for i := range found {
		if o != nil {
			o.LookedUp(s.resolution(names[i], found[i].Value, found[i].Err))
		}
		if found[i].Err == nil {
			continue
		}
		if m := s.byName[names[i]]; m != nil {
			found[i] = pcp.Answer[pcp.ID]{Value: m.id}
		}
	}
	return found, nil
}

// Names returns the names of a metric, valid or not.
func (s *Source) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	s.sync()
	if m := s.byID(id); m != nil {
		return []string{m.name}, nil
	}
	return s.base.Names(ctx, id)
}

// below binds the visible metrics at and below a node of the name space and returns the valid ones in their order. Over
// names alone nothing can be bound, and all are returned that the names do not hide. It shows the metrics to l.
func (s *Source) below(ctx context.Context, name string, l *Listing) ([]*metric, error) {
	var list []*metric
	for _, m := range s.metrics {
		if m.name != "" && s.visible(m) && below(m.name, name) {
			list = append(list, m)
		}
	}
	if s.alone {
		for _, m := range list {
			l.add(m)
		}
		return s.unhidden(ctx, list)
	}
	e := s.newEnv(ctx, Used)
	if err := e.bindAll(list, l); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(m *metric) bool { return m.state != valid }), nil
}

// unhidden returns those of list whose names the Source below does not have.
func (s *Source) unhidden(ctx context.Context, list []*metric) ([]*metric, error) {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.name
	}
	found, err := s.base.Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []*metric
	for i, r := range found {
		if r.Err != nil {
			out = append(out, list[i])
		}
	}
	return out, nil
}

// Children returns what stands below a node: what the Source below has, then valid derived metrics in the order of their
// definition.
func (s *Source) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	s.sync()
	l := s.listing(name, false)
	list, err := s.below(ctx, name, l)
	if err != nil {
		return nil, err
	}
	children, err := s.base.Children(ctx, name)
	l.done(len(children), err)
	if err != nil && (len(list) == 0 || !unknown(err)) {
		return nil, err
	}
	seen := make(map[string]bool, len(children))
	for _, c := range children {
		seen[c.Name] = true
	}
	_, order, kids := group(list, name)
	for _, kid := range order {
		if !seen[kid] {
			children = append(children, pcp.Child{Name: kid, Leaf: kids[kid][0].name == join(name, kid)})
		}
	}
	return children, nil
}

// unknown reports whether err says that a name is not there.
func unknown(err error) bool { return errors.Is(err, pmerr.Name) || errors.Is(err, pmerr.NonLeaf) }

// Walk calls f for each leaf at or below name. Over a daemon all names below come first; over an archive, and over names
// alone, each node of the name space has its own derived children after those below.
func (s *Source) Walk(ctx context.Context, name string, f func(name string, id pcp.ID) bool) error {
	return s.walk(ctx, name, f, s.base.Walk)
}

// WalkNames is Walk without the identifiers, which may be had at less cost.
func (s *Source) WalkNames(ctx context.Context, name string, f func(name string) bool) error {
	leaf := func(name string, _ pcp.ID) bool { return f(name) }
	return s.walk(ctx, name, leaf, func(ctx context.Context, name string, f func(string, pcp.ID) bool) error {
		return pmapi.WalkNames(ctx, s.base, name, func(name string) bool { return f(name, pcp.NullID) })
	})
}

// A walk is what Walk is: it calls a function for each leaf at or below a node.
type walk func(ctx context.Context, name string, f func(name string, id pcp.ID) bool) error

// walk does the work of Walk; below walks the Source below.
func (s *Source) walk(ctx context.Context, name string, f func(name string, id pcp.ID) bool, below walk) error {
	s.sync()
	nodes := s.recorded || s.alone
	var l *Listing
	if !nodes {
		l = s.listing(name, true)
	} else if s.reg.Observer() != nil {
		s.visit(ctx, name)
	}
	list, err := s.below(ctx, name, l)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return below(ctx, name, f)
	}
	w := walker{ctx: ctx, base: s.base, walkBase: below, f: f}
	if nodes {
		return w.walk(name, list, true)
	}
	if err := w.below(name); err != nil && !unknown(err) {
		return err
	}
	for _, m := range list {
		w.leaf(m)
	}
	return nil
}

// visit shows the nodes at and below name to the Observer.
func (s *Source) visit(ctx context.Context, name string) {
	children, _ := s.Children(ctx, name) // the walk itself returns the error
	for _, c := range children {
		s.visit(ctx, join(name, c.Name))
	}
}

// group divides metrics at or below a node: the one of the node itself, if there is one, and those at or below each of
// its children, which order lists.
func group(list []*metric, node string) (own *metric, order []string, kids map[string][]*metric) {
	kids = make(map[string][]*metric)
	for _, m := range list {
		if m.name == node {
			own = m
			continue
		}
		kid, _, _ := strings.Cut(strings.TrimPrefix(m.name[len(node):], "."), ".")
		if kids[kid] == nil {
			order = append(order, kid)
		}
		kids[kid] = append(kids[kid], m)
	}
	return own, order, kids
}

// A walker is a walk in progress.
type walker struct {
	ctx      context.Context
	base     pmapi.Source
	walkBase walk
	f        func(string, pcp.ID) bool
	done     bool // f has returned false
}

// leaf shows a derived metric.
func (w *walker) leaf(m *metric) {
	if m != nil && !w.done {
		w.done = !w.f(m.name, m.id)
	}
}

// below shows what the Source below has at or below a node.
func (w *walker) below(name string) error {
	if w.done {
		return nil
	}
	return w.walkBase(w.ctx, name, func(name string, id pcp.ID) bool {
		w.done = !w.f(name, id)
		return !w.done
	})
}

// walk shows node name, at or below which derived metrics are listed. The Source below is asked node by node only where
// there are such metrics, and not at all below a node that it does not have.
func (w *walker) walk(name string, list []*metric, inBase bool) error {
	if w.done {
		return nil
	}
	if len(list) == 0 {
		return w.below(name)
	}
	own, order, kids := group(list, name)
	seen := make(map[string]bool)
	if inBase {
		children, err := w.base.Children(w.ctx, name)
		switch {
		case err != nil && !unknown(err):
			return err
		case err == nil && len(children) == 0 && name != "":
			if err := w.below(name); err != nil {
				return err
			}
		}
		for _, c := range children {
			seen[c.Name] = true
			if err := w.walk(join(name, c.Name), kids[c.Name], true); err != nil {
				return err
			}
		}
	}
	w.leaf(own)
	for _, kid := range order {
		if !seen[kid] {
			if err := w.walk(join(name, kid), kids[kid], false); err != nil {
				return err
			}
		}
	}
	return nil
}

// join returns the name of a node's child.
func join(parent, child string) string {
	if parent == "" {
		return child
	}
	return parent + "." + child
}
