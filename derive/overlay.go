package derive

import (
	"context"
	"errors"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// An addedName is a name that is added to the name space of the Source below, whose own names come
// first.
type addedName struct {
	Name string
	ID   pcp.ID
}

func unknownName(err error) bool { return errors.Is(err, pmerr.Name) || errors.Is(err, pmerr.NonLeaf) }

func joinName(parent, child string) string {
	if parent == "" {
		return child
	}
	return parent + "." + child
}

// below reports whether name is prefix or stands below it in the name space; everything stands
// below "".
func below(name, prefix string) bool {
	if prefix == "" || name == prefix {
		return true
	}
	return len(name) > len(prefix) && name[len(prefix)] == '.' && strings.HasPrefix(name, prefix)
}

// addChildren returns children, which a Source has below a node, and those that names add to them. All
// names are at or below the node.
func addChildren(children []pcp.Child, node string, names []addedName) []pcp.Child {
	seen := make(map[string]bool, len(children))
	for _, c := range children {
		seen[c.Name] = true
	}
	_, order, kids := groupNames(names, node)
	for _, kid := range order {
		if !seen[kid] {
			children = append(children, pcp.Child{Name: kid, Leaf: kids[kid][0].Name == joinName(node, kid)})
		}
	}
	return children
}

// groupNames divides names at or below a node: the one of the node itself, nil if it is not there, and
// those at or below each of its children, in the order of the children's first appearance.
func groupNames(names []addedName, node string) (own *addedName, order []string, kids map[string][]addedName) {
	kids = make(map[string][]addedName)
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

// walkAdded walks the names of base, and then those that are added, all of which are at or below name.
func walkAdded(ctx context.Context, base pmapi.Source, name string, ids bool, names []addedName, f func(string, pcp.ID) bool) error {
	w := nameWalker{ctx: ctx, base: base, ids: ids, f: f}
	if err := w.below(name); err != nil && !unknownName(err) {
		return err
	}
	for i := range names {
		w.leaf(&names[i])
	}
	return nil
}

// walkNodes is walkAdded for a Source whose nodes are listed one by one: each has its own added children
// after those of base.
func walkNodes(ctx context.Context, base pmapi.Source, name string, ids bool, names []addedName, f func(string, pcp.ID) bool) error {
	w := nameWalker{ctx: ctx, base: base, ids: ids, f: f}
	return w.walk(name, names, true)
}

type nameWalker struct {
	ctx  context.Context
	base pmapi.Source
	ids  bool // for the names of base
	f    func(string, pcp.ID) bool
	done bool // f has returned false
}

func (w *nameWalker) leaf(n *addedName) {
	if n != nil && !w.done {
		w.done = !w.f(n.Name, n.ID)
	}
}

func (w *nameWalker) below(name string) error {
	if w.done {
		return nil
	}
	return w.base.Walk(w.ctx, name, w.ids, func(name string, id pcp.ID) bool {
		w.done = !w.f(name, id)
		return !w.done
	})
}

// walk calls f for the names at or below a node, names being those that are added there. Base is
// asked node by node only where there are such names, and not at all below a node that it does not
// have.
func (w *nameWalker) walk(name string, names []addedName, inBase bool) error {
	if w.done {
		return nil
	}
	if len(names) == 0 {
		return w.below(name)
	}
	own, order, kids := groupNames(names, name)
	seen := make(map[string]bool)
	if inBase {
		children, err := w.base.Children(w.ctx, name)
		switch {
		case err != nil && !unknownName(err):
			return err
		case err == nil && len(children) == 0 && name != "":
			if err := w.below(name); err != nil {
				return err
			}
		}
		for _, c := range children {
			seen[c.Name] = true
			if err := w.walk(joinName(name, c.Name), kids[c.Name], true); err != nil {
				return err
			}
		}
	}
	w.leaf(own)
	for _, kid := range order {
		if !seen[kid] {
			if err := w.walk(joinName(name, kid), kids[kid], false); err != nil {
				return err
			}
		}
	}
	return nil
}
