package pmns

import (
	"fmt"
	"slices"
	"strings"
)

// A linker puts groups together to a tree.
type linker struct {
	groups map[string][]*group // by path
	tree   Tree
}

// link makes a tree of the groups, or returns the messages of what is missing or
// left over.
func link(groups []*group) (*Tree, string) {
	l := &linker{groups: make(map[string][]*group, len(groups))}
	for _, g := range groups {
		l.groups[g.path] = append(l.groups[g.path], g)
	}
	root := l.groups["root"]
	switch {
	case len(root) == 0:
		return nil, prefix + "No name space entry for \"root\"\n"
	case len(root) > 1:
		return nil, prefix + "Multiple name space entries for \"root\"\n"
	}
	delete(l.groups, "root")
	root[0].used = true
	if missing := l.fill(&l.tree.root, root[0]); missing != "" {
		return nil, fmt.Sprintf("%sCannot find definition for non-terminal node %q in name space\n", prefix, missing)
	}
	var msg strings.Builder
	for _, g := range slices.Backward(groups) {
		if !g.used {
			fmt.Fprintf(&msg, "%sDisconnected subtree (%q) in name space\n", prefix, g.path)
		}
	}
	return &l.tree, msg.String()
}

// fill puts the items of g below n and returns the path of the first inner node
// that has no group, or "". Paths grow with each level and are no longer than a
// line, which bounds the depth.
func (l *linker) fill(n *node, g *group) string {
	for _, it := range g.items {
		full := it.name
		if n != &l.tree.root {
			full = n.name + "." + it.name
		}
		c := l.tree.newNode(full, it.id, it.leaf)
		n.attach(c)
		if it.leaf {
			l.tree.leaves++
			continue
		}
		own := l.groups[full]
		if len(own) == 0 {
			return full
		}
		// Of several groups the first counts; the others stay unused.
		own[0].used = true
		l.groups[full] = own[1:]
		if missing := l.fill(c, own[0]); missing != "" {
			return missing
		}
	}
	return ""
}
