package pmns

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// A group is "PATH { items }": the names below an inner node.
type group struct {
	path  string
	items []item
	used  bool
}

// An item is a name within a group: a leaf with its identifier, or a node with a group of its own.
type item struct {
	name string
	id   pcp.ID
	leaf bool
}

// A parser reads the groups of a file. The grammar:
//
//	file  = { (NAME | PATH) "{" { NAME [PMID] } "}" }
//
// The end of the file is accepted anywhere.
type parser struct {
	sc     scanner
	groups []*group
}

// parse reads the whole file and returns the messages of the first error, or "".
func (p *parser) parse() string {
	for {
		switch p.sc.scan() {
		case endToken:
			return ""
		case failed:
			return p.sc.msg.String()
		case nameToken, pathToken:
			g := &group{path: p.sc.token}
			p.groups = append(p.groups, g)
			if !p.body(g) {
				return p.sc.msg.String()
			}
		default:
			p.sc.report("Expected NAME or PATH")
			return p.sc.msg.String()
		}
	}
}

func (p *parser) body(g *group) bool {
	switch p.sc.scan() {
	case openToken:
	case endToken:
		return true
	case failed:
		return false
	default:
		p.sc.report("{ expected")
		return false
	}
	wanted := "Expected NAME or }"
	for {
		k := p.sc.scan()
		switch {
		case k == endToken:
			return true
		case k == failed:
			return false
		case k == closeToken:
			return p.checkNames(g)
		case k == nameToken:
			g.items = append(g.items, item{name: p.sc.token})
			wanted = "Expected NAME, PMID or }"
		case k == metricToken && wanted == "Expected NAME, PMID or }":
			last := &g.items[len(g.items)-1]
			last.id, last.leaf = p.sc.id, true
			wanted = "Expected NAME or }"
		default:
			p.sc.report(wanted)
			return false
		}
	}
}

// checkNames checks that names differ. Its message takes the place of the line in question.
func (p *parser) checkNames(g *group) bool {
	count := make(map[string]int, len(g.items))
	for _, it := range g.items {
		count[it.name]++
	}
	for _, it := range g.items {
		if count[it.name] > 1 {
			p.sc.line = fmt.Sprintf("Duplicate name %q in subtree for %q\n", it.name, g.path)
			p.sc.report(p.sc.line)
			return false
		}
	}
	return true
}

type linker struct {
	groups map[string][]*group // by path
	tree   Tree
}

// link makes a tree of the groups, or returns the messages about missing or unused groups.
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

// fill puts the items of g below n and returns the path of the first inner node that has no group,
// or "". Paths grow with each level and are no longer than a line, which bounds the depth.
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
		// If several groups have the name, the first one is used.
		own[0].used = true
		l.groups[full] = own[1:]
		if missing := l.fill(c, own[0]); missing != "" {
			return missing
		}
	}
	return ""
}
