package lint

import (
	"slices"
	"strings"

	"pmtools/derive/syntax"
)

// unused reports definitions that nobody needs.
var unused = Rule{
	Name: "unused",
	Doc: "The definition is neither among the names that are wanted (--wanted) nor inside one that is. Without --wanted nothing is " +
		"known of what is wanted, and nothing is reported.",
	Bad:  "disk.load = rate(disk.dev.total)\nmem.share = mem.util.used / mem.physmem\n",
	Good: "disk.load = rate(disk.dev.total)\n",
	Run: func(p *Pass) {
		if p.Names == nil {
			return
		}
		byName, used := make(map[string]*Definition), make(map[*Definition]bool)
		for _, d := range p.Definitions {
			byName[d.Name] = d
		}
		var use func(d *Definition)
		use = func(d *Definition) {
			if d == nil || used[d] {
				return
			}
			used[d] = true
			for n := range syntax.Preorder(d.Expr) {
				switch n := n.(type) {
				case *syntax.MetricRef:
					use(byName[n.Name])
				case *syntax.Spec:
					if n.Tag == syntax.META {
						use(byName[n.Value])
					}
				}
			}
		}
		for _, d := range p.Definitions {
			if slices.ContainsFunc(p.Names, func(name string) bool { return d.Name == name || strings.HasPrefix(d.Name, name+".") }) {
				use(d)
			}
		}
		for _, d := range p.Definitions {
			if !used[d] {
				p.report(d, -1, d.Name+" is not wanted, and no definition uses it")
			}
		}
	},
}
