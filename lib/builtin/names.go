package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Lookup implements pmapi.Source.
func (s *Source) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return answers(ctx, s, names, s.lookup)
}

func answers[K, V any](ctx context.Context, s *Source, keys []K, ask func(context.Context, K) (V, error)) ([]pcp.Answer[V], error) {
	if s.closed {
		return nil, pmerr.NoContext
	}
	results := make([]pcp.Answer[V], len(keys))
	for i, key := range keys {
		results[i].Value, results[i].Err = ask(ctx, key)
	}
	return results, ctx.Err()
}

// lookup resolves a name. Among several errors, pmerr.NonLeaf wins.
func (s *Source) lookup(ctx context.Context, name string) (pcp.ID, error) {
	failed := error(pmerr.Name)
	if name == "" {
		return pcp.NullID, failed
	}
	for _, m := range s.naming(ctx, name) {
		if s.hides(ctx, m, name) {
			continue
		}
		id, err := m.names.Lookup(name)
		if err == nil && pmda.IsRootID(id) {
			id, err = s.lookupDynamic(ctx, m, name)
		}
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, pmerr.Name) {
			failed = err
		}
	}
	return pcp.NullID, failed
}

// lookupDynamic asks a provider for a name, which may also be the root of a dynamic subtree.
func (s *Source) lookupDynamic(ctx context.Context, m *member, name string) (pcp.ID, error) {
	n, ok := m.provider.(pmda.Namer)
	if !ok {
		return pcp.NullID, pmerr.Name
	}
	if err := s.check(ctx, m); err != nil {
		return pcp.NullID, err
	}
	id, err := n.LookupName(ctx, s.client, name)
	if err != nil || !pmda.IsRootID(id) {
		return id, err
	}
	return pcp.NullID, pmerr.NonLeaf
}

// Names implements pmapi.Source. The provider that has the metric is asked first, then those whose
// dynamic names may lead to it.
func (s *Source) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	if s.closed {
		return nil, pmerr.NoContext
	}
	var names []string
	for _, m := range s.members {
		own := m.Domain == id.Domain()
		if m.provider == nil && (!own || s.open(ctx, m) != nil) {
			continue
		}
		if !pmda.IsRootID(id) {
			list, _ := m.names.Names(id)
			names = append(names, slices.DeleteFunc(list, func(name string) bool { return s.hides(ctx, m, name) })...)
		}
		if n, ok := m.provider.(pmda.Namer); ok && s.check(ctx, m) == nil {
			list, _ := n.NamesOf(ctx, s.client, id)
			names = append(names, list...)
		}
	}
	if len(names) == 0 {
		return nil, pmerr.PMID
	}
	return names, nil
}

// Children implements pmapi.Source.
func (s *Source) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	switch {
	case s.closed:
		return nil, pmerr.NoContext
	case name == "":
		return s.top(ctx), nil
	}
	var list []pcp.Child
	failed := error(pmerr.Name)
	for _, m := range s.naming(ctx, name) {
		children, err := s.childrenOf(ctx, m, name)
		if err == nil {
			failed = nil
		}
		for _, c := range children {
			if !slices.ContainsFunc(list, func(have pcp.Child) bool { return have.Name == c.Name }) {
				list = append(list, c)
			}
		}
	}
	return list, failed
}

// top returns the nodes below the root, without making providers whose roots are known.
func (s *Source) top(ctx context.Context) []pcp.Child {
	var list []pcp.Child
	for _, m := range s.members {
		for _, root := range s.roots(ctx, m) {
			if !slices.ContainsFunc(list, func(have pcp.Child) bool { return have.Name == root }) {
				leaf := false
				if m.names != nil {
					id, err := m.names.Lookup(root)
					leaf = err == nil && !pmda.IsRootID(id)
				}
				list = append(list, pcp.Child{Name: root, Leaf: leaf})
			}
		}
	}
	return list
}

func (s *Source) childrenOf(ctx context.Context, m *member, name string) ([]pcp.Child, error) {
	if id, err := m.names.Lookup(name); err != nil || !pmda.IsRootID(id) {
		return m.names.Children(name)
	}
	n, ok := m.provider.(pmda.Namer)
	if !ok {
		return nil, nil
	}
	if err := s.check(ctx, m); err != nil {
		return nil, err
	}
	children, err := n.Children(ctx, s.client, name)
	if err != nil {
		return nil, err
	}
	if len(children) > 0 || m.isRootName(name) {
		return children, nil
	}
	_, err = n.LookupName(ctx, s.client, name)
	return nil, err
}

// isRootName reports whether a name is the root of a dynamic subtree itself.
func (m *member) isRootName(name string) bool {
	found := false
	err := m.names.Walk(name, func(leaf string, _ pcp.ID) bool {
		found = leaf == name
		return false
	})
	return err == nil && found
}

// Walk implements pmapi.Source.
func (s *Source) Walk(ctx context.Context, name string, _ bool, f func(name string, id pcp.ID) bool) error {
	if s.closed {
		return pmerr.NoContext
	}
	found, more := name == "", true
	for _, m := range s.naming(ctx, name) {
		if !more {
			break
		}
		err := s.walk(ctx, m, name, func(leaf string, id pcp.ID) bool {
			if found = true; s.hides(ctx, m, leaf) {
				return true
			}
			more = f(leaf, id)
			return more
		})
		switch {
		case err == nil:
			found = true
		case !errors.Is(err, pmerr.Name):
			return err
		}
	}
	if !found {
		return pmerr.Name
	}
	return ctx.Err()
}

func (s *Source) walk(ctx context.Context, m *member, name string, f func(name string, id pcp.ID) bool) error {
	if id, err := m.names.Lookup(name); err == nil && pmda.IsRootID(id) {
		return s.walkDynamic(ctx, m, name, f)
	}
	var failed error
	err := m.names.Walk(name, func(leaf string, id pcp.ID) bool {
		if !pmda.IsRootID(id) {
			return f(leaf, id)
		}
		more := true
		failed = s.walkDynamic(ctx, m, leaf, func(name string, id pcp.ID) bool {
			more = f(name, id)
			return more
		})
		return more && failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// walkDynamic walks a dynamic subtree. Only its root may have no leaves.
func (s *Source) walkDynamic(ctx context.Context, m *member, name string, f func(name string, id pcp.ID) bool) error {
	n, ok := m.provider.(pmda.Namer)
	if !ok {
		return nil
	}
	if err := s.check(ctx, m); err != nil {
		return err
	}
	names, err := n.Leaves(ctx, s.client, name)
	if err != nil {
		return err
	}
	if len(names) == 0 && !m.isRootName(name) {
		return pmerr.Name
	}
	for _, leaf := range slices.Clone(names) {
		id, err := n.LookupName(ctx, s.client, leaf)
		if err == nil && strings.HasPrefix(leaf, name) && !f(leaf, id) {
			break
		}
	}
	return nil
}
