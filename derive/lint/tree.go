package lint

import (
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

func comparison(op syntax.Token) bool {
	switch op {
	case syntax.LT, syntax.LEQ, syntax.EQ, syntax.GEQ, syntax.GT, syntax.NEQ:
		return true
	}
	return false
}

// dimensionless reports whether units are none, or a plain count, which numbers have too.
func dimensionless(u pcp.Units) bool { return u.Dimensionless() || u == pcp.Units{DimCount: 1} }

// number returns the text and the value of an expression that is a number and nothing else.
func number(x syntax.Expr) (text string, value float64, ok bool) {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		return n.Text, float64(n.Value), true
	case *syntax.FloatLit:
		return n.Text, n.Value, true
	}
	return "", 0, false
}

func logical(op syntax.Token) bool {
	return comparison(op) || op == syntax.AND || op == syntax.OR
}

// zero reports whether an expression is the number 0, with which everything can be compared.
func zero(x syntax.Expr) bool {
	_, value, ok := number(x)
	return ok && value == 0
}

func unsigned(d *definition, x syntax.Expr) bool {
	typ, known := d.info.Types[x]
	return known && (typ.Type == pcp.Uint32 || typ.Type == pcp.Uint64)
}

func operands(d *definition, x syntax.Expr) (list []*syntax.MetricRef) {
	syntax.Walk(x, func(n syntax.Node) bool {
		ref, ok := n.(*syntax.MetricRef)
		if _, known := d.info.Metrics[ref]; ok && known {
			list = append(list, ref)
		}
		_, inner := n.(*syntax.NestExpr)
		return !inner
	})
	return list
}

// metadata returns what novalue() has, with the type and the domain of the other arm if it has none
// of its own; it is not complete if another metric decides.
func metadata(n *syntax.NovalueExpr, other check.Type) (t check.Type, complete bool) {
	t = check.Type{Type: other.Type, InDom: other.InDom, Sem: pcp.Discrete}
	for _, s := range n.Specs {
		switch s.Tag {
		case syntax.META:
			return t, false
		case syntax.TYPE:
			t.Type, _ = check.TypeNamed(s.Value) // the parser accepts no other name
		case syntax.SEMANTICS:
			t.Sem, _ = check.SemNamed(s.Value)
		case syntax.UNITS:
			t.Units, _, _ = pcp.ParseUnits(s.Value)
		}
	}
	return t, true
}

// constant reports whether a condition has the same result whatever the values are.
func constant(d *definition, x syntax.Expr) (result, decided bool) {
	if _, value, ok := number(x); ok {
		return value != 0, true
	}
	switch n := syntax.Unparen(x).(type) {
	case *syntax.UnaryExpr:
		result, decided = constant(d, n.X)
		return result != (n.Op == syntax.NOT), decided
	case *syntax.BinaryExpr:
		if same(n.X, n.Y) && comparison(n.Op) {
			return n.Op == syntax.EQ || n.Op == syntax.LEQ || n.Op == syntax.GEQ, true
		}
		if d.info == nil {
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

// same reports whether two expressions are the same but for parentheses. It ends at the first
// difference, so that it may be asked about each node of a large tree.
func same(x, y syntax.Expr) bool {
	x, y = syntax.Unparen(x), syntax.Unparen(y)
	if head(x) != head(y) {
		return false
	}
	a, b := syntax.Operands(x), syntax.Operands(y)
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || a[i] != nil && !same(*a[i], *b[i]) {
			return false
		}
	}
	return true
}

func head(x syntax.Expr) string {
	switch n := x.(type) {
	case *syntax.BinaryExpr:
		return n.Op.Symbol()
	case *syntax.UnaryExpr:
		return "unary " + n.Op.Symbol()
	case *syntax.TernaryExpr:
		return "?"
	case *syntax.InstExpr:
		return "[" + n.Name
	case *syntax.RescaleExpr:
		return `"` + n.Units
	case *syntax.MatchInstExpr:
		return fmt.Sprintf("/%v%s", n.NotPos < 0, n.Pattern)
	case *syntax.CallExpr:
		switch {
		case n.Over != nil:
			return fmt.Sprintf("%s(%d", n.Fun.Symbol(), n.Over.Nanoseconds)
		case n.By != nil:
			return fmt.Sprintf("%s(%q", n.Fun.Symbol(), n.By.Names())
		case n.Operand() != nil:
			return n.Fun.Symbol() + "("
		}
	}
	return syntax.Print(x) // a leaf
}

const maxText = 70

// text returns a part of the expression as it is written, on one line; of a long one the beginning.
func (d *definition) text(n syntax.Node) string {
	from, to := n.Span()
	text := strings.Join(strings.Fields(d.String()[from:min(int(to), int(from)+4*maxText)]), " ")
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}

// Compared describes the counters whose values an expression compares, or has as conditions.
func Compared(x syntax.Expr, info *check.Info) (list []string) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if _, call := n.(*syntax.CallExpr); !call {
			where, counters := compared(n, info)
			for _, c := range counters {
				text := syntax.Print(c)
				list = append(list, fmt.Sprintf("the value of a counter is %s: %s; rate(%s) is how fast it grows", where, text, text))
			}
		}
		_, inner := n.(*syntax.NestExpr)
		return !inner
	})
	return list
}
