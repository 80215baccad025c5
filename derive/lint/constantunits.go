package lint

import (
	"fmt"

	"pmtools/derive/syntax"
)

var constantUnits = Rule{
	Name: "constant-units",
	Doc: "A number without units is compared with a value that has some. PCP compares the bare numbers, so the meaning changes when " +
		"the units of the metric do, and nobody sees which were meant. 0 needs no units.",
	Bad:  "mem.low = mem.util.free < 100000\n",
	Good: "mem.low = mem.util.free < mkconst(100000, units=\"Kbyte\")\n",
	Run: func(p *Pass) {
		for d, b := range nodes[*syntax.BinaryExpr](p, true) {
			if !comparison(b.Op) {
				continue
			}
			for _, pair := range [][2]syntax.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				lit, _, ok := number(pair[0])
				units := d.info.Types[pair[1]].Units
				if !ok || zero(pair[0]) || dimensionless(units) {
					continue
				}
				p.report(d, start(pair[0]), fmt.Sprintf("%s has no units, and %s is in %s", lit, d.text(pair[1]), units),
					fmt.Sprintf("mkconst(%s, units=\"%s\") says what is meant", lit, units))
			}
		}
	},
}
