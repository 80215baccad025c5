package lint

import "pmtools/derive/syntax"

// deadChoice reports choices that are none.
var deadChoice = Rule{
	Name: "dead-arm",
	Doc: "The condition of ?: is always the same, or both arms are: one arm is never used. Conditions with defined() are meant to be " +
		"decided by the metrics that a source has, and are not reported.",
	Bad:  "mem.enough = mem.util.free >= 0 ? 1 : 0\n",
	Good: "mem.enough = mem.util.free > mkconst(100000, units=\"Kbyte\") ? 1 : 0\n",
	Run: func(p *Pass) {
		for d, n := range p.nodes(false) {
			switch n := n.(type) {
			case *syntax.TernaryExpr:
				if result, decided := constant(d, n.Cond); decided {
					arm := n.Y
					if !result {
						arm = n.X
					}
					p.report(d, start(n.Cond), "the condition is always "+truth[result], "this arm is never used: "+syntax.Print(arm))
				} else if syntax.Print(n.X) == syntax.Print(n.Y) {
					p.report(d, start(n.X), "both arms are the same: "+syntax.Print(n.X))
				}
			}
		}
	},
}

// truth names the results of conditions.
var truth = map[bool]string{true: "true", false: "false"}

// constant reports whether a condition has the same result whatever the values are.
func constant(d *Definition, x syntax.Expr) (result, decided bool) {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		return n.Value != 0, true
	case *syntax.FloatLit:
		return n.Value != 0, true
	case *syntax.UnaryExpr:
		result, decided = constant(d, n.X)
		return result != (n.Op == syntax.NOT), decided
	case *syntax.BinaryExpr:
		if syntax.Print(syntax.Unparen(n.X)) == syntax.Print(syntax.Unparen(n.Y)) && comparison(n.Op) {
			return n.Op == syntax.EQ || n.Op == syntax.LEQ || n.Op == syntax.GEQ, true
		}
		if d.Info == nil {
			return false, false
		}
		switch {
		case n.Op == syntax.GEQ && unsigned(d, n.X) && zero(n.Y), n.Op == syntax.LEQ && zero(n.X) && unsigned(d, n.Y):
			return true, true
		case n.Op == syntax.LT && unsigned(d, n.X) && zero(n.Y), n.Op == syntax.GT && zero(n.X) && unsigned(d, n.Y):
			return false, true
		}
	}
	return false, false
}
