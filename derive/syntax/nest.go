package syntax

// A NestExpr is the name of a metric together with the expression that takes its place, as if in
// parentheses. The parser makes none; [Nest] does.
type NestExpr struct {
	Ref *MetricRef
	X   Expr // its positions are those of another text
}

func (*NestExpr) expr() {}

// Span implements [Node].
func (x *NestExpr) Span() (start, end Pos) { return x.Ref.Span() }

// A Shape tells how large a tree is, as [MaxDepth] and [MaxHeight] count.
type Shape struct{ Depth, Height int }

// above returns the shape of a node with one operand.
func (s Shape) above() Shape { return Shape{s.Depth + 1, s.Height + 1} }

// beside returns the shape of an operator with two operands.
func (s Shape) beside(right Shape) Shape {
	return Shape{max(s.Depth, right.Depth+1), max(s.Height, right.Height) + 1}
}

// Nest returns a copy of x with expressions in the place of operands. For each operand f returns
// the expression and its shape, or nil if the name stands for itself. The names in functions that
// take a metric and no expression, such as sum(), are not operands.
func Nest(x Expr, f func(*MetricRef) (Expr, Shape)) (Expr, Shape) {
	s := Shape{1, 1}
	var right Shape
	switch n := x.(type) {
	case *MetricRef:
		if inner, shape := f(n); inner != nil {
			return &NestExpr{n, inner}, shape.above()
		}
	case *ParenExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	case *UnaryExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	case *BinaryExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		c.Y, right = Nest(n.Y, f)
		return &c, s.beside(right)
	case *TernaryExpr:
		c := *n
		c.Cond, s = Nest(n.Cond, f)
		c.X, right = Nest(n.X, f)
		s = s.beside(right)
		c.Y, right = Nest(n.Y, f)
		return &c, s.beside(right)
	case *InstExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	case *CallExpr:
		if n.Operand() == nil {
			return n, s.above()
		}
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	case *RescaleExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	case *MatchInstExpr:
		c := *n
		c.X, s = Nest(n.X, f)
		return &c, s.above()
	}
	return x, s
}

// Unparen returns x without parentheses around it. A name in whose place an expression stands is
// that expression.
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
	case DELTA, RATE, INSTANT, SCALAR:
		return x.X
	}
	return nil
}
