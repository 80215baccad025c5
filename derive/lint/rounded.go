package lint

import (
	"fmt"

	"pmtools/derive/check"
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
			if to, ok := rounds(r, d.info); ok {
				p.report(d, start(r), roundedText(d.text(r.X), to))
			}
		}
	},
}

// rounds reports whether a conversion rounds integers to a larger unit, and which that is.
func rounds(r *syntax.RescaleExpr, info *check.Info) (to pcp.Units, ok bool) {
	typ, known := info.Types[r.X]
	if !known || typ.Type == pcp.Float || typ.Type == pcp.Double {
		return to, false
	}
	to = info.Rescale[r]
	one, err := pcp.DoubleValue(1).ConvScale(typ.Units, to)
	f, _ := one.Float64()
	return to, err == nil && f < 1
}

func roundedText(text string, to pcp.Units) string {
	return fmt.Sprintf("%s is an integer, and is rounded to whole %s", text, to)
}

// Rounded returns the findings of the rule rounded in an expression, each with what to write instead.
func Rounded(x syntax.Expr, info *check.Info) (list []string) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.RescaleExpr); ok {
			if to, ok := rounds(r, info); ok {
				text := syntax.Print(r.X)
				why := roundedText(text, to)
				if _, name := r.X.(*syntax.MetricRef); !name {
					text = "(" + text + ")"
				}
				list = append(list, why+"; "+text+" * 1.0 keeps the fraction")
			}
		}
		return true
	})
	return list
}
