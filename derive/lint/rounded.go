package lint

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var rounded = Rule{
	Name: "rounded",
	Doc: "rescale() of an integer to a larger unit: the result is an integer too, so a size in Gbyte is a whole number of them. " +
		"A factor of 1.0 makes a floating-point number of it first.",
	Bad:  "mem.gb = rescale(mem.util.used, \"Gbyte\")\n",
	Good: "mem.gb = rescale(mem.util.used * 1.0, \"Gbyte\")\n",
	Run: func(p *Pass) {
		for d, r := range nodes[*syntax.RescaleExpr](p, true) {
			typ, known := d.Info.Types[r.X]
			if !known || typ.Type == pcp.Float || typ.Type == pcp.Double {
				continue
			}
			to := d.Info.Rescale[r]
			if one, err := pcp.DoubleValue(1).ConvScale(typ.Units, to); err == nil {
				if f, _ := one.Float64(); f < 1 {
					p.report(d, start(r), fmt.Sprintf("%s is an integer, and is rounded to whole %s", d.text(r.X), to))
				}
			}
		}
	},
}
