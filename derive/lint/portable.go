package lint

import (
	"fmt"

	"pmtools/derive"
	"pmtools/derive/syntax"
)

// Portable is Format for PCP's tools: definitions stand in the place of their names, and what only the
// extended language has is written in PCP's, where the values stay exactly the same. The other
// definitions are errors with the reason.
func Portable(name string, src []byte, inside *derive.Registry) ([]byte, []*syntax.FileError) {
	return format(name, src, inside, portable)
}

// A misfit is a part of an expression that PCP cannot evaluate.
type misfit struct {
	part syntax.Expr
	why  string
}

// error returns the message about the definition.
func (m *misfit) error(d *syntax.Definition) *syntax.FileError {
	return &syntax.FileError{Place: d.Place, Msg: fmt.Sprintf("%s: PCP cannot evaluate %s: %s", d.Name, syntax.Print(m.part), m.why)}
}

// portable returns an expression in PCP's language.
func portable(x syntax.Expr) (syntax.Expr, *misfit) {
	x, _ = syntax.Nest(x, func(*syntax.MetricRef) (syntax.Expr, syntax.Shape) { return nil, syntax.Shape{} })
	if bad := rewrite(&x); bad != nil {
		return nil, bad
	}
	return x, nil
}

// rewrite changes a tree in its place, operands first.
func rewrite(x *syntax.Expr) *misfit {
	switch n := (*x).(type) {
	case *syntax.BinaryExpr:
		if n.Op.IsFunction() {
			return &misfit{n, "it has no " + n.Op.Symbol() + "() of several operands, and a choice has other values where types or instances differ"}
		}
	case *syntax.CallExpr:
		if n.Fun.IsExtension() {
			return &misfit{n, "it has no function " + n.Fun.Symbol() + "()"}
		}
	}
	for _, operand := range syntax.Operands(*x) {
		if operand != nil {
			if bad := rewrite(operand); bad != nil {
				return bad
			}
		}
	}
	if n, ok := (*x).(*syntax.CallExpr); ok {
		return aggregate(n)
	}
	return nil
}

// aggregate makes the operand of an aggregate a name, if the result stays the same.
func aggregate(n *syntax.CallExpr) *misfit {
	whole := *n
	for takesName(n.Fun) {
		operand := syntax.Unparen(n.X)
		inner := operand
		switch x := operand.(type) {
		case *syntax.MetricRef:
			n.X = x
			return nil
		case *syntax.CallExpr:
			switch {
			case x.Fun == syntax.INSTANT && (n.Fun == syntax.COUNT || n.Fun == syntax.MAX || n.Fun == syntax.MIN):
				inner = x.X // the result is none of a counter anyway
			case x.Fun == syntax.RATE || x.Fun == syntax.DELTA:
				fun := x.Fun.Symbol()
				return &misfit{&whole, fmt.Sprintf("an instance may appear, or be reset, by itself, and then %s(%s(...)) has another value", fun, n.Fun.Symbol())}
			}
		case *syntax.UnaryExpr:
			if n.Fun == syntax.COUNT {
				inner = x.X
			}
		case *syntax.RescaleExpr:
			if n.Fun == syntax.COUNT {
				inner = x.X
			}
		case *syntax.BinaryExpr:
			if _, _, number := number(x.Y); number && n.Fun == syntax.COUNT {
				inner = x.X
			}
		}
		if inner == operand {
			return &misfit{&whole, n.Fun.Symbol() + "() takes the name of a metric there, and no other expression has these values in all samples"}
		}
		n.X = inner
	}
	return nil
}

// takesName reports whether the operand of a function is a name in PCP's language.
func takesName(fun syntax.Token) bool {
	switch fun {
	case syntax.AVG, syntax.COUNT, syntax.MAX, syntax.MIN, syntax.SUM:
		return true
	}
	return false
}
