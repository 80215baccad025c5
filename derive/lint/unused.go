package lint

import (
	"slices"
	"strings"

	"pmtools/derive/syntax"
)

var unused = Rule{
	Name: "unused",
	Doc: "The definition is neither among the names that are wanted (--wanted) nor inside one that is. Without --wanted nothing is " +
		"known of what is wanted, and nothing is reported.",
	Bad:  "disk.load = rate(disk.dev.total)\nmem.share = mem.util.used / mem.physmem\n",
	Good: "disk.load = rate(disk.dev.total)\n",
	Run: func(p *Pass) {
		if p.opt.Wanted == nil {
			return
		}
		byName, used := make(map[string]*definition), make(map[*definition]bool)
		for d := range p.definitions() {
			byName[d.Name()] = d
		}
		var next []*definition
		for d := range p.definitions() {
			if slices.ContainsFunc(p.opt.Wanted, func(name string) bool { return d.Name() == name || strings.HasPrefix(d.Name(), name+".") }) {
				next = append(next, d)
			}
		}
		for len(next) > 0 && p.opt.Text.Err() == nil { // without recursion: definitions may need each other in a long row
			d := next[len(next)-1]
			if next = next[:len(next)-1]; d == nil || used[d] {
				continue
			}
			used[d] = true
			for name := range syntax.Mentions(d.Expr()) {
				next = append(next, byName[name])
			}
		}
		for d := range p.definitions() {
			if !used[d] {
				p.report(d, -1, d.Name()+" is not wanted, and no definition uses it")
			}
		}
	},
}
