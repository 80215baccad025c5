package lint

import (
	"fmt"

	"pmtools/derive/syntax"
)

var unscaled = Rule{
	Name: "scale",
	Doc: "Values in units of different scale are compared, such as byte with Kbyte. PCP converts operands of + - * and / to the same " +
		"scale, but compares numbers as they are.",
	Bad:  "mem.much = mem.util.used > mkconst(8, units=\"Gbyte\")\n",
	Good: "mem.much = rescale(mem.util.used * 1.0, \"Gbyte\") > mkconst(8, units=\"Gbyte\")\n",
	Run: func(p *Pass) {
		for d, b := range nodes[*syntax.BinaryExpr](p, true) {
			if !comparison(b.Op) || zero(b.X) || zero(b.Y) {
				continue
			}
			x, y := d.info.Types[b.X].Units, d.info.Types[b.Y].Units
			if dimensionless(x) || dimensionless(y) || x == y {
				continue
			}
			p.report(d, b.OpPos, fmt.Sprintf("%s is compared with %s as numbers, without a conversion", x, y),
				fmt.Sprintf("rescale(%s * 1.0, \"%s\") converts", d.text(b.X), y))
		}
	},
}
