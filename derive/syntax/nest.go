package syntax

import "reflect"

// A NestExpr is the name of a metric together with the expression that takes its place, as if in
// parentheses. The parser makes none; [Nest] does.
type NestExpr struct {
	Ref *MetricRef
	X   Expr // its positions are those of another text
}

func (*NestExpr) expr() {}

// Span implements [Node].
func (x *NestExpr) Span() (start, end Pos) { return x.Ref.Span() }

// A Shape tells how large a tree is, as [MaxDepth] and [MaxHeight] count: it is never larger than what
// the parser has counted.
type Shape struct{ Depth, Height int }

// Nest returns a copy of x with expressions in the place of operands. For each operand f returns
// the expression and its shape, or nil if the name stands for itself. The names in functions that
// take a metric and no expression, such as sum(), are not operands.
func Nest(x Expr, f func(*MetricRef) (Expr, Shape)) (Expr, Shape) {
	shape := Shape{1, 1}
	switch n := x.(type) {
	case *MetricRef:
		if inner, shape := f(n); inner != nil {
			return &NestExpr{n, inner}, Shape{shape.Depth + 1, shape.Height + 1}
		}
		return x, shape
	case *IntLit, *FloatLit, *ConstExpr, *NovalueExpr:
		return x, shape
	case *CallExpr:
		if n.Operand() == nil {
			return x, Shape{1, 2}
		}
	}
	c := reflect.New(reflect.TypeOf(x).Elem())
	c.Elem().Set(reflect.ValueOf(x).Elem())
	x = c.Interface().(Expr)
	operands := Operands(x)
	*operands[0], shape = Nest(*operands[0], f)
	shape.Height++
	if _, selects := x.(*InstExpr); operands[1] == nil && !selects {
		shape.Depth++
	}
	for _, operand := range operands[1:] {
		if operand != nil {
			var right Shape
			*operand, right = Nest(*operand, f)
			shape = Shape{max(shape.Depth, right.Depth+1), max(shape.Height, right.Height+1)}
		}
	}
	return x, shape
}

// Unparen returns x without parentheses around it. A name in whose place an expression stands, a
// NestExpr, is its X.
func Unparen(x Expr) Expr {
	for {
		switch n := x.(type) {
		case *ParenExpr:
			x = n.X
		case *NestExpr:
			x = n.X
		default:
			return x
		}
	}
}

// Operand returns X if it may be any expression, nil if the function takes the name of a metric.
func (x *CallExpr) Operand() Expr {
	switch x.Fun {
	case "delta", "rate", "instant", "scalar":
		return x.X
	case "anon", "defined":
		return nil
	}
	if x.Extended {
		return x.X
	}
	return nil
}
