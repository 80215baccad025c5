package check

import (
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// binary returns the metadata of an operator with two operands (derived.md D7.4).
func (c *Checker) binary(n *syntax.BinaryExpr) (Type, *Error) {
	x, err := c.expr(n.X)
	if err != nil {
		return x, err
	}
	y, err := c.expr(n.Y)
	if err != nil {
		return y, err
	}
	if n.Op.IsFunction() {
		return c.pair(n, x, y)
	}
	if text := operatorMisfit(n.Op, x, y); text != "" {
		err := c.binaryError(n, text)
		err.cure(func(with cure) string { return c.operandsMisfit(n.Op, with(x), with(y)) })
		return x, err
	}
	if text := c.operandsMisfit(n.Op, x, y); text != "" {
		return x, c.binaryError(n, text)
	}
	base, other := x, y
	if isLiteral(n.X) {
		base, other = y, x
	}
	t := base
	if t.InDom == pcp.NullInDom {
		t.InDom = other.InDom
	}
	t.Sem, t.Type, t.Units = ResultSem(x, y, base), ResultType(n.Op, x, y), pcp.Units{}
	if isArithmetic(n.Op) {
		t.Units = combineUnits(n.Op, x.Units, y.Units, base.Units)
		if s, any := scaleOf(x.Units, y.Units); any {
			put(&c.info.Scales, n, s)
			t.Type = pcp.Double
		}
	}
	return t, nil
}

// operandsMisfit returns the reason why op rejects operands, or "".
func (c *Checker) operandsMisfit(op syntax.Token, x, y Type) string {
	text := operatorMisfit(op, x, y)
	if text == "" {
		text = typeMisfit(x, y)
	}
	if text == "" {
		text = unitsMisfit(op, x, y)
	}
	if text == "" && !c.sameInDom(x.InDom, y.InDom) {
		text = msgInDom
	}
	return text
}

// ResultSem returns the semantics of the result of an operator, whose other metadata is that of
// base, one of the operands.
func ResultSem(x, y, base Type) pcp.Sem {
	switch {
	case x.Sem == pcp.Counter || y.Sem == pcp.Counter:
		return base.Sem
	case x.Sem == pcp.Discrete && y.Sem == pcp.Discrete:
		return pcp.Discrete
	}
	return pcp.Instant
}

// ResultType returns the type of the result of an operator, where the units of its operands have
// the same scale.
func ResultType(op syntax.Token, x, y Type) pcp.Type {
	switch {
	case op == syntax.SLASH:
		return pcp.Double
	case isArithmetic(op):
		return max(x.Type, y.Type)
	}
	return pcp.Uint32
}

// isArithmetic reports whether op is one of + - * /, and not a relation or a boolean operator.
func isArithmetic(op syntax.Token) bool { return isSum(op) || isProduct(op) }

func isSum(op syntax.Token) bool     { return op == syntax.PLUS || op == syntax.MINUS }
func isProduct(op syntax.Token) bool { return op == syntax.STAR || op == syntax.SLASH }
func isBoolean(op syntax.Token) bool { return op == syntax.AND || op == syntax.OR }

func isLiteral(e syntax.Expr) bool {
	switch syntax.Unparen(e).(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
		return true
	}
	return false
}

func operatorMisfit(op syntax.Token, x, y Type) string {
	left, right := x.Sem == pcp.Counter, y.Sem == pcp.Counter
	switch {
	case !isArithmetic(op):
	case left && right && !isSum(op):
		return msgCounters
	case left && !right && !isProduct(op):
		return msgCounterNonCounter
	case !left && right && op != syntax.STAR:
		return msgNonCounterCounter
	}
	return ""
}

func typeMisfit(x, y Type) string {
	switch {
	case !x.Type.Arithmetic():
		return msgLeftType
	case !y.Type.Arithmetic():
		return msgRightType
	}
	return ""
}

// unitsMisfit returns the reason why op rejects operands of these units. The exemption of relations
// with unsigned numbers is meant for literals that are compared with dimensioned metrics; the
// reference gives it to all unsigned numbers of 32 bits, and to no others.
func unitsMisfit(op syntax.Token, x, y Type) string {
	exempt := !isArithmetic(op) && !isBoolean(op) && (x.Type == pcp.Uint32 || y.Type == pcp.Uint32)
	u, v := x.Units, y.Units
	left, right := x.Sem == pcp.Counter, y.Sem == pcp.Counter
	switch {
	case isBoolean(op) && !(u.Dimensionless() && v.Dimensionless()),
		!isBoolean(op) && !isProduct(op) && !exempt && !sameDimensions(u, v):
		return msgDimensions
	case isSum(op), isBoolean(op):
	case left && !right && !v.Dimensionless():
		return msgRightDimensions
	case !left && right && !u.Dimensionless():
		return msgLeftDimensions
	}
	both := u.Extra != 0 && v.Extra != 0
	same := u.Extra == v.Extra && u.ExtraScale == v.ExtraScale
	switch {
	case both && op == syntax.STAR:
		return msgExtraProduct
	case both && op == syntax.SLASH && !same:
		return msgExtraQuotient
	case both && !same:
		return msgExtra
	}
	return ""
}

func (c *Checker) sameInDom(a, b pcp.InDom) bool {
	return a == pcp.NullInDom || b == pcp.NullInDom || a == b || c.opt.Equivalent != nil && c.opt.Equivalent(a, b)
}
