// Package overlay adds names to the name space of a Source. The names of the Source come first.
package overlay

import (
	"context"
	"errors"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Name is one of the names that are added.
type Name struct {
	Name string
	ID   pcp.ID
}

// A WalkFunc is what pmapi.Source.Walk is: it calls f for each leaf at or below a node.
type WalkFunc func(ctx context.Context, name string, f func(name string, id pcp.ID) bool) error

// Unknown reports whether err says that a name does not exist.
func Unknown(err error) bool { return errors.Is(err, pmerr.Name) || errors.Is(err, pmerr.NonLeaf) }

// Join returns the name of a node's child.
func Join(parent, child string) string {
	if parent == "" {
		return child
	}
	return parent + "." + child
}

// Children returns children, which a Source has below a node, and those that names add to them. All
// names are at or below the node.
func Children(children []pcp.Child, node string, names []Name) []pcp.Child {
	seen := make(map[string]bool, len(children))
	for _, c := range children {
		seen[c.Name] = true
	}
	_, order, kids := group(names, node)
	for _, kid := range order {
		if !seen[kid] {
			children = append(children, pcp.Child{Name: kid, Leaf: kids[kid][0].Name == Join(node, kid)})
		}
	}
	return children
}

// group divides names at or below a node: the one of the node itself, nil if it is not there, and
// those at or below each of its children, in the order of the children's first appearance.
func group(names []Name, node string) (own *Name, order []string, kids map[string][]Name) {
	kids = make(map[string][]Name)
	for i, n := range names {
		if n.Name == node {
			own = &names[i]
			continue
		}
		kid, _, _ := strings.Cut(strings.TrimPrefix(n.Name[len(node):], "."), ".")
		if kids[kid] == nil {
			order = append(order, kid)
		}
		kids[kid] = append(kids[kid], n)
	}
	return own, order, kids
}

// Walk walks the names of base, by the function below, and then those that are added, all of which
// are at or below name.
func Walk(ctx context.Context, below WalkFunc, name string, names []Name, f func(string, pcp.ID) bool) error {
	w := walker{ctx: ctx, walkBase: below, f: f}
	if err := w.below(name); err != nil && !Unknown(err) {
		return err
	}
	for i := range names {
		w.leaf(&names[i])
	}
	return nil
}

// WalkNodes is Walk for a Source whose nodes are listed one by one: each has its own added children
// after those of base.
func WalkNodes(ctx context.Context, base pmapi.Source, below WalkFunc, name string, names []Name, f func(string, pcp.ID) bool) error {
	w := walker{ctx: ctx, base: base, walkBase: below, f: f}
	return w.walk(name, names, true)
}

// A walker is a walk in progress.
type walker struct {
	ctx      context.Context
	base     pmapi.Source
	walkBase WalkFunc
	f        func(string, pcp.ID) bool
	done     bool // f has returned false
}

// leaf calls f for an added name.
func (w *walker) leaf(n *Name) {
	if n != nil && !w.done {
		w.done = !w.f(n.Name, n.ID)
	}
}

// below calls f for the names of base at or below a node.
func (w *walker) below(name string) error {
	if w.done {
		return nil
	}
	return w.walkBase(w.ctx, name, func(name string, id pcp.ID) bool {
		w.done = !w.f(name, id)
		return !w.done
	})
}

// walk calls f for the names at or below a node, names being those that are added there. Base is
// asked node by node only where there are such names, and not at all below a node that it does not
// have.
func (w *walker) walk(name string, names []Name, inBase bool) error {
	if w.done {
		return nil
	}
	if len(names) == 0 {
		return w.below(name)
	}
	own, order, kids := group(names, name)
	seen := make(map[string]bool)
	if inBase {
		children, err := w.base.Children(w.ctx, name)
		switch {
		case err != nil && !Unknown(err):
			return err
		case err == nil && len(children) == 0 && name != "":
			if err := w.below(name); err != nil {
				return err
			}
		}
		for _, c := range children {
			seen[c.Name] = true
			if err := w.walk(Join(name, c.Name), kids[c.Name], true); err != nil {
				return err
			}
		}
	}
	w.leaf(own)
	for _, kid := range order {
		if !seen[kid] {
			if err := w.walk(Join(name, kid), kids[kid], false); err != nil {
				return err
			}
		}
	}
	return nil
}
