package lint

import "pmtools/derive/syntax"

var neverValues = Rule{
	Name: "no-values",
	Doc: "No instance is left: a pattern matches none, an instance does not exist, or the operands of an operator have no instance in " +
		"common. Two instances of a domain do not meet, even if each is selected by itself: scalar() makes single values of them.",
	Bad:  "disk.both = disk.dev.total[sda] + disk.dev.total[nvme0n1]\n",
	Good: "disk.both = scalar(disk.dev.total[sda]) + scalar(disk.dev.total[nvme0n1])\n",
	Run: func(p *Pass) {
		if p.source == nil {
			return
		}
		for d, x := range nodes[syntax.Expr](p, true) {
			left, known := p.instances(d, x)
			if !known || len(left) > 0 {
				continue
			}
			for _, operand := range syntax.Operands(x) {
				if operand != nil {
					some, ok := p.instances(d, *operand)
					known = known && (!ok || len(some) > 0)
				}
			}
			if known { // it is lost here
				p.report(d, start(x), "no instance is left, so this never has values: "+d.text(x), p.whyNone(d, x)...)
			}
		}
	},
}
