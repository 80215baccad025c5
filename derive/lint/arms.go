package lint

import (
	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

var arms = Rule{
	Name: "novalue",
	Doc: "The type, the semantics or the units in novalue() are not those of the other arm. Which arm counts is decided by the metrics " +
		"that a host has, so the same metric is another one elsewhere, and recordings of the hosts do not go together. Without " +
		"semantics= it is discrete, without units= it has none.",
	Bad:  "disk.busy = defined(disk.dev.avactive) ? rate(disk.dev.avactive) : novalue(type=double)\n",
	Good: "disk.busy = defined(disk.dev.avactive) ? rate(disk.dev.avactive) : novalue(type=double, semantics=instant)\n",
	Run: func(p *Pass) {
		for d, c := range nodes[*syntax.TernaryExpr](p, true) {
			used, left := c.X, c.Y
			if d.info.Choices[c] == check.Right {
				used, left = c.Y, c.X
			}
			none, ok := left.(*syntax.NovalueExpr)
			typ, known := d.info.Types[used]
			if !ok || !known || d.info.Choices[c] == check.NotStatic {
				continue
			}
			if other, complete := metadata(none, typ); complete {
				if what := check.Difference(typ, other); what != "" {
					p.report(d, none.FunPos, "novalue() differs in its "+what+" from "+d.text(used))
				}
			}
		}
	},
}
