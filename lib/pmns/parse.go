package pmns

import (
	"fmt"

	"pmtools/lib/pcp"
)

// A group is "PATH { items }": what stands below an inner node.
type group struct {
	path  string
	items []item
	used  bool
}

// An item is a name within a group: a leaf with its identifier, or an inner node
// that has a group of its own.
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

// body reads the rest of a group and reports whether it is sound.
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

// checkNames reports whether the names in a group are different. The message
// takes the place of the line that it complains about.
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
