package lint

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var oddUnits = Rule{
	Name: "units",
	Doc: "The units of a product or a quotient have a power that quantities seldom have, such as byte^2: two sizes were multiplied that " +
		"should have been divided, or one was divided by twice. Also the sum of a count and a metric without units: PCP takes it, and " +
		"the units of one of them.",
	Bad:  "mem.share = mem.util.used * mem.physmem\n",
	Good: "mem.share = mem.util.used / mem.physmem\n",
	Run: func(p *Pass) {
		for d, b := range nodes[*syntax.BinaryExpr](p, true) {
			x, y, r := d.info.Types[b.X].Units, d.info.Types[b.Y].Units, d.info.Types[b].Units
			switch b.Op {
			case syntax.STAR, syntax.SLASH:
				if power(r) > max(power(x), power(y), 1) {
					p.report(d, b.OpPos, fmt.Sprintf("the units of the result are %s: %s of %s and %s", r, operation[b.Op], text(x), text(y)))
				}
			case syntax.PLUS, syntax.MINUS:
				_, _, left := number(b.X)
				_, _, right := number(b.Y)
				if !left && !right && x != y && (x.Dimensionless() || y.Dimensionless()) {
					p.report(d, b.OpPos, fmt.Sprintf("%s of %s and %s", operation[b.Op], text(x), text(y)))
				}
			}
		}
	},
}

var operation = map[syntax.Token]string{
	syntax.STAR: "the product", syntax.SLASH: "the quotient", syntax.PLUS: "the sum", syntax.MINUS: "the difference",
}

func power(u pcp.Units) int8 {
	return max(u.DimSpace, -u.DimSpace, u.DimTime, -u.DimTime, u.DimCount, -u.DimCount)
}

func text(u pcp.Units) string {
	if u.Dimensionless() {
		return "no units"
	}
	return u.String()
}
