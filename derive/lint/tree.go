package lint

import (
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// comparison reports whether an operator compares values.
func comparison(op syntax.Token) bool {
	switch op {
	case syntax.LT, syntax.LEQ, syntax.EQ, syntax.GEQ, syntax.GT, syntax.NEQ:
		return true
	}
	return false
}

// dimensionless reports whether units are none, or a plain count, which numbers have too.
func dimensionless(u pcp.Units) bool { return u.Dimensionless() || u == pcp.Units{DimCount: 1} }

// bare returns the text of an expression that is a number and nothing else.
func bare(x syntax.Expr) (string, bool) {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		return n.Text, true
	case *syntax.FloatLit:
		return n.Text, true
	}
	return "", false
}

// logical reports whether the result of an operator is true or false.
func logical(op syntax.Token) bool {
	return comparison(op) || op == syntax.AND || op == syntax.OR
}

// zero reports whether an expression is the number 0, with which everything can be compared.
func zero(x syntax.Expr) bool {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		return n.Value == 0
	case *syntax.FloatLit:
		return n.Value == 0
	}
	return false
}

// unsigned reports whether an expression is never negative by its type.
func unsigned(d *Definition, x syntax.Expr) bool {
	typ, known := d.Info.Types[x]
	return known && (typ.Type == pcp.Uint32 || typ.Type == pcp.Uint64)
}

// operands returns the metrics in an expression that are written there.
func operands(d *Definition, x syntax.Expr) (list []*syntax.MetricRef) {
	syntax.Walk(x, func(n syntax.Node) bool {
		ref, ok := n.(*syntax.MetricRef)
		if _, known := d.Info.Metrics[ref]; ok && known {
			list = append(list, ref)
		}
		_, inner := n.(*syntax.NestExpr)
		return !inner
	})
	return list
}
