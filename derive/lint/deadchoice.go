package lint

import "pmtools/derive/syntax"

var deadChoice = Rule{
	Name: "dead-arm",
	Doc: "The condition of ?: is always the same, or both arms are: one arm is never used. Conditions with defined() are meant to be " +
		"decided by the metrics that a source has, and are not reported. Also a condition that has the same part twice.",
	Bad:  "mem.enough = mem.util.free >= 0 ? 1 : 0\n",
	Good: "mem.enough = mem.util.free > mkconst(100000, units=\"Kbyte\") ? 1 : 0\n",
	Run: func(p *Pass) {
		for d, n := range nodes[syntax.Node](p, false) {
			switch n := n.(type) {
			case *syntax.BinaryExpr:
				if (n.Op == syntax.AND || n.Op == syntax.OR) && same(n.X, n.Y) {
					p.report(d, start(n.Y), "both sides of "+n.Op.Symbol()+" are the same: "+d.text(n.Y))
				}
			case *syntax.TernaryExpr:
				if result, decided := constant(d, n.Cond); decided {
					arm := n.Y
					if !result {
						arm = n.X
					}
					p.report(d, start(n.Cond), "the condition is always "+truth[result], "this arm is never used: "+d.text(arm))
				} else if same(n.X, n.Y) {
					p.report(d, start(n.X), "both arms are the same: "+d.text(n.X))
				}
			}
		}
	},
}

var truth = map[bool]string{true: "true", false: "false"}
