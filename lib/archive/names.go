package archive

import (
	"slices"
	"strings"
	"sync"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// nameSpace is the tree of metric names.
type nameSpace struct {
	nodes map[string]*nameNode // by full name; the root, "", is always there

	once  sync.Once
	names map[pcp.ID][]string // made by the first who asks
}

// nameNode is one name: a leaf with an identifier, or an inner node.
type nameNode struct {
	name     string // full name
	leaf     bool
	id       pcp.ID
	children []*nameNode // in the order of their arrival
}

// add gives a metric a name. Who comes first keeps the name, except that a leaf
// which something is to stand below becomes an inner node (archive.md A2.13).
// A name without a first component has no place in the tree, nor has one of no
// metric.
func (ns *nameSpace) add(name []byte, id pcp.ID) {
	if len(name) == 0 || name[0] == '.' || id == pcp.NullID || ns.nodes[string(name)] != nil {
		return
	}
	node := ns.node(string(name))
	node.leaf, node.id = true, id
}

// node makes a new node and those above it that are missing.
func (ns *nameSpace) node(name string) *nameNode {
	node := &nameNode{name: name}
	for child := node; ; {
		ns.nodes[child.name] = child
		above := child.name[:max(strings.LastIndexByte(child.name, '.'), 0)]
		parent := ns.nodes[above]
		if parent != nil {
			parent.leaf = false
			parent.children = append(parent.children, child)
			return node
		}
		parent = &nameNode{name: above, children: []*nameNode{child}}
		child = parent
	}
}

// collect fills in the names of the metrics at and below a node.
func (ns *nameSpace) collect(n *nameNode, pool *[]string) {
	if n.leaf {
		if list := ns.names[n.id]; list != nil {
			ns.names[n.id] = append(list, n.name)
			return
		}
		*pool = append(*pool, n.name)
		ns.names[n.id] = (*pool)[len(*pool)-1 : len(*pool) : len(*pool)]
		return
	}
	for _, child := range n.children {
		ns.collect(child, pool)
	}
}

// component returns the last component of the node's name.
func (n *nameNode) component() string { return n.name[strings.LastIndexByte(n.name, '.')+1:] }

// walk calls f for all leaves at and below n, the latest arrivals first, which is
// the order of the reference.
func (n *nameNode) walk(f func(name string, id pcp.ID) bool) bool {
	if n.leaf {
		return f(n.name, n.id)
	}
	for _, child := range slices.Backward(n.children) {
		if !child.walk(f) {
			return false
		}
	}
	return true
}

// Lookup returns the metric called name. An unknown name is pmerr.Name, an inner
// node of the name space pmerr.NonLeaf.
func (s *Set) Lookup(name string) (pcp.ID, error) {
	switch n := s.nodes[name]; {
	case n == nil || name == "":
		return pcp.NullID, pmerr.Name
	case !n.leaf:
		return pcp.NullID, pmerr.NonLeaf
	default:
		return n.id, nil
	}
}

// Names returns all names of a metric, in the order of the reference, which is
// that of Walk from its end. The slice may not be changed.
func (s *Set) Names(id pcp.ID) []string {
	s.once.Do(func() {
		s.names = make(map[pcp.ID][]string, len(s.descs))
		pool := make([]string, 0, len(s.nodes))
		s.collect(s.nodes[""], &pool)
	})
	return s.names[id]
}

// Children returns the nodes directly below an inner node, "" being the root, in
// the order of Walk. A leaf has none; an unknown name is pmerr.Name.
func (s *Set) Children(name string) ([]pcp.Child, error) {
	n := s.nodes[name]
	if n == nil {
		return nil, pmerr.Name
	}
	list := make([]pcp.Child, 0, len(n.children))
	for _, c := range slices.Backward(n.children) {
		list = append(list, pcp.Child{Name: c.component(), Leaf: c.leaf})
	}
	return list, nil
}

// Walk calls f for each metric name that is prefix or stands below it, until f
// returns false. The names come in the order in which the reference lists them: at
// each level those that were recorded last come first.
func (s *Set) Walk(prefix string, f func(name string, id pcp.ID) bool) error {
	n := s.nodes[prefix]
	if n == nil {
		return pmerr.Name
	}
	n.walk(f)
	return nil
}
