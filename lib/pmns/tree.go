// Package pmns implements the name space of metrics, a tree of names whose leaves are metric
// identifiers, and reads and writes its text files.
//
// A [Tree] grows by [Tree.Add], or comes from a file by [Load] or [Parse]. Names have the form
// "kernel.all.load". A leaf may be the root of a dynamic subtree, whose names the agent knows; its
// identifier prints as "30.*.*".
//
// Goroutines may share a Tree while none changes it.
package pmns

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Tree is a name space. The zero value is an empty one.
type Tree struct {
	// LatestFirst lists the children of each node latest first, as the reference lists the names of
	// an archive. By default they keep the order of arrival.
	LatestFirst bool

	root   node
	leaves int
	spare  []node // unused nodes: they are allocated many at once

	mu   sync.Mutex          // guards byID
	byID map[pcp.ID][]string // made when first needed, dropped by each change
}

type node struct {
	name     string // full name, from the root on
	id       pcp.ID // identifier of a leaf
	leaf     bool
	children []*node          // in the order of arrival
	index    map[string]*node // by last component, if there are many children
}

const indexAbove = 8 // a node with more children has an index

// Add adds a leaf and the inner nodes above it, and reports whether it did. A name that exists
// keeps its identifier. If a name would be both a leaf and an inner node, it becomes an inner node,
// without identifier. A name whose first component is empty is refused.
func (t *Tree) Add(name string, id pcp.ID) bool {
	if name == "" || name[0] == '.' {
		return false
	}
	t.byID = nil
	n := &t.root
	for start := 0; start <= len(name); {
		end := len(name)
		if i := strings.IndexByte(name[start:], '.'); i >= 0 {
			end = start + i
		}
		if n.leaf {
			n.leaf, n.id = false, 0
			t.leaves--
		}
		next := n.child(name[start:end])
		if next == nil {
			next = t.newNode(name[:end], id, end == len(name))
			n.attach(next)
			if next.leaf {
				t.leaves++
				return true
			}
		}
		n, start = next, end+1
	}
	return false
}

// Len returns the number of leaves.
func (t *Tree) Len() int { return t.leaves }

// Lookup returns the identifier of a metric, or pmerr.NonLeaf for an inner node and pmerr.Name for
// anything else. A name below a dynamic root has the root's identifier.
func (t *Tree) Lookup(name string) (pcp.ID, error) {
	n := t.find(name)
	switch {
	case n == nil || n == &t.root:
		return pcp.NullID, pmerr.Name
	case !n.leaf:
		return pcp.NullID, pmerr.NonLeaf
	case len(n.name) < len(name) && !n.dynamic():
		return pcp.NullID, pmerr.Name
	}
	return n.id, nil
}

// Names returns all names of a metric in the reverse order of Walk, or pmerr.PMID if it has none.
// The slice may not be changed.
func (t *Tree) Names(id pcp.ID) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.indexIDs()
	}
	names := t.byID[id]
	if names == nil {
		return nil, pmerr.PMID
	}
	return names, nil
}

// indexIDs makes byID. Nearly all metrics have a single name; these names share an array.
func (t *Tree) indexIDs() {
	t.byID = make(map[pcp.ID][]string, t.leaves)
	pool := make([]string, 0, t.leaves)
	t.root.walk(!t.LatestFirst, func(n *node) bool {
		if names := t.byID[n.id]; names != nil {
			t.byID[n.id] = append(names, n.name)
			return true
		}
		pool = append(pool, n.name)
		t.byID[n.id] = pool[len(pool)-1 : len(pool) : len(pool)]
		return true
	})
}

// Children returns the nodes directly below a node in the order of the tree; "" is the root. A leaf
// has none; an unknown name is pmerr.Name.
func (t *Tree) Children(name string) ([]pcp.Child, error) {
	n := t.find(name)
	if n == nil || len(n.name) < len(name) {
		return nil, pmerr.Name
	}
	list := make([]pcp.Child, len(n.children))
	for i, c := range n.children {
		list[i] = pcp.Child{Name: n.component(c), Leaf: c.leaf && !c.dynamic()}
	}
	if t.LatestFirst {
		slices.Reverse(list)
	}
	return list, nil
}

// Walk calls f for each leaf that is name or stands below it, in the order of the tree, until f
// returns false. An unknown name is pmerr.Name.
func (t *Tree) Walk(name string, f func(name string, id pcp.ID) bool) error {
	n := t.find(name)
	if n == nil || len(n.name) < len(name) {
		return pmerr.Name
	}
	n.walk(t.LatestFirst, func(leaf *node) bool { return f(leaf.name, leaf.id) })
	return nil
}

// Cull removes the leaves that keep refuses, dynamic roots among them, and the inner nodes without
// leaves.
func (t *Tree) Cull(keep func(pcp.ID) bool) {
	t.root.cull(keep)
	t.leaves, t.byID = 0, nil
	t.root.walk(false, func(*node) bool {
		t.leaves++
		return true
	})
}

// checkUnique finds names with the same identifier, which only dynamic roots may share.
func (t *Tree) checkUnique() (err error) {
	seen := make(map[pcp.ID]string, t.leaves)
	t.root.walk(false, func(n *node) bool {
		if n.dynamic() {
			return true
		}
		if first, dup := seen[n.id]; dup {
			err = fmt.Errorf("Duplicate metric id (%v) in name space for metrics %q and %q", n.id, n.name, first)
		}
		seen[n.id] = n.name
		return err == nil
	})
	return err
}

func (t *Tree) newNode(name string, id pcp.ID, leaf bool) *node {
	if len(t.spare) == 0 {
		t.spare = make([]node, min(max(t.leaves, 8), 256))
	}
	n := &t.spare[0]
	t.spare = t.spare[1:]
	n.name, n.id, n.leaf = name, id, leaf
	return n
}

// find returns the node called name, the leaf on the way to it if there is one, or nil.
func (t *Tree) find(name string) *node {
	if name == "" {
		return &t.root
	}
	n := &t.root
	for {
		part, rest, more := strings.Cut(name, ".")
		n = n.child(part)
		switch {
		case n == nil || !more:
			return n
		case n.leaf && rest == "":
			return nil // the name ends in a dot
		case n.leaf:
			return n
		}
		name = rest
	}
}

func (n *node) dynamic() bool {
	return n.leaf && n.id.Domain() == pcp.DynamicDomain && n.id.Item() == 0
}

func (n *node) component(c *node) string {
	if n.name == "" {
		return c.name // a child of the root has no prefix
	}
	return c.name[len(n.name)+1:]
}

func (n *node) child(part string) *node {
	if n.index != nil {
		return n.index[part]
	}
	for _, c := range n.children {
		if n.component(c) == part {
			return c
		}
	}
	return nil
}

func (n *node) attach(c *node) {
	n.children = append(n.children, c)
	switch {
	case n.index != nil:
		if part := n.component(c); n.index[part] == nil {
			n.index[part] = c
		}
	case len(n.children) > indexAbove:
		n.buildIndex()
	}
}

func (n *node) buildIndex() {
	n.index = make(map[string]*node, 2*len(n.children))
	for _, c := range slices.Backward(n.children) {
		n.index[n.component(c)] = c
	}
}

// walk calls yield for the leaves that are n or below it, with the children of a node in the order
// of arrival, or in reverse, and reports whether all calls returned true.
func (n *node) walk(back bool, yield func(*node) bool) bool {
	if n.leaf {
		return yield(n)
	}
	for i := range n.children {
		if back {
			i = len(n.children) - 1 - i
		}
		if !n.children[i].walk(back, yield) {
			return false
		}
	}
	return true
}

// cull removes the leaves that keep refuses and reports whether any are left.
func (n *node) cull(keep func(pcp.ID) bool) bool {
	if n.leaf {
		return keep(n.id)
	}
	n.children = slices.DeleteFunc(n.children, func(c *node) bool { return !c.cull(keep) })
	n.index = nil
	if len(n.children) > indexAbove {
		n.buildIndex()
	}
	return len(n.children) > 0
}
