package lint

import (
	"fmt"
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var comparedCounter = Rule{
	Name: "counter",
	Doc: "The value of a counter is compared, is a condition, or an average or extreme of counters is taken: that is about all the time " +
		"since the counter began. rate() says how fast it grows, delta() by how much since the last sample.",
	Bad:  "disk.busy = disk.dev.total > 1000\n",
	Good: "disk.busy = rate(disk.dev.total) > mkconst(1000, units=\"count / sec\")\n",
	Run: func(p *Pass) {
		for d, n := range nodes[syntax.Node](p, true) {
			where, list := compared(n, d.info)
			for _, x := range list {
				var fixes []syntax.Fix
				if _, call := n.(*syntax.CallExpr); !call { // these take names only
					fixes = syntax.Wrap(d.String(), x, syntax.RATE, syntax.DELTA, syntax.INSTANT)
				}
				text := d.text(x)
				p.fixable(d, start(x), fixes, fmt.Sprintf("the value of a counter is %s: %s", where, text),
					fmt.Sprintf("rate(%s) is how fast it grows, delta(%s) by how much since the last sample", text, text))
			}
		}
	},
}

// compared returns the counters whose values a node compares, has as a condition, or takes an average or extreme of, and
// what it does with them.
func compared(n syntax.Node, info *check.Info) (where string, list []syntax.Expr) {
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		if where = "compared"; logical(n.Op) && !zero(n.X) && !zero(n.Y) {
			list = []syntax.Expr{n.X, n.Y}
		}
	case *syntax.TernaryExpr:
		where, list = "a condition", []syntax.Expr{n.Cond}
	case *syntax.CallExpr:
		if n.Fun == syntax.AVG || n.Fun == syntax.MIN || n.Fun == syntax.MAX {
			where, list = "the operand of "+n.Fun.Symbol()+"()", []syntax.Expr{n.X}
		}
	}
	return where, slices.DeleteFunc(list, func(x syntax.Expr) bool {
		typ, known := info.Types[x]
		return !known || typ.Sem != pcp.Counter || relational(x)
	})
}

// relational reports whether an expression is a comparison or made of some: of counters it is one
// itself, which is reported where they are.
func relational(x syntax.Expr) bool {
	b, ok := syntax.Unparen(x).(*syntax.BinaryExpr)
	return ok && logical(b.Op)
}
