package lint

import (
	"strings"

	"pmtools/derive/syntax"
)

var duplicate = Rule{
	Name: "duplicate",
	Doc: "Two definitions have the same expression: a copy that was not changed, or two names for one thing, which are both evaluated. " +
		"Also two names that differ by capitals only.",
	Bad:  "disk.reads = rate(disk.dev.total)\ndisk.writes = rate(disk.dev.total)\n",
	Good: "disk.reads = rate(disk.dev.total)\ndisk.bytes = rate(disk.dev.total_bytes)\n",
	Run: func(p *Pass) {
		exprs, names := make(map[string]*definition), make(map[string]*definition)
		for d := range p.definitions() {
			text, name := syntax.Print(syntax.Unparen(d.Expr())), strings.ToLower(d.Name())
			if old := exprs[text]; old != nil {
				p.report(d, 0, "this is the expression of "+old.Name()+" too")
			} else {
				exprs[text] = d
			}
			if old := names[name]; old != nil {
				p.report(d, -1, d.Name()+" differs from "+old.Name()+" by capitals only")
			} else {
				names[name] = d
			}
		}
	},
}
