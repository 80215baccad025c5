package sql

import (
	"strconv"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

func (b *builder) unary(n *syntax.UnaryExpr, t pcp.Type, x values) values {
	return b.each(n, t, x, func(v string) string {
		switch {
		case n.Op == syntax.NOT:
			return "CASE WHEN " + b.isTrue(v) + " THEN " + b.literal(t, 0) + " ELSE " + b.literal(t, 1) + " END"
		case isFloat(t):
			return "(-" + v + ")"
		}
		return b.integer("-", t, b.literal(t, 0), v)
	})
}

func isFloat(t pcp.Type) bool { return t == pcp.Float || t == pcp.Double }

func (b *builder) binary(n *syntax.BinaryExpr, t pcp.Type, skip []fail) values {
	x := b.add(n.X, skip)
	y := b.add(n.Y, union(skip, x.fails))
	return b.both(n, t, x, y, func(v, w string) string { return b.combine(n, t, x.typ, y.typ, v, w) })
}

// both brings the values of two operands together, by instance if both have many.
func (b *builder) both(e syntax.Expr, t pcp.Type, x, y values, f func(v, w string) string) values {
	switch {
	case b.err != nil:
		return x
	case y.number != "":
		return b.each(e, t, x, func(v string) string { return f(v, y.number) })
	case x.number != "":
		return b.each(e, t, y, func(w string) string { return f(x.number, w) })
	case x.table == y.table:
		return b.each(e, t, x, func(v string) string { return f(v, v) })
	}
	out := values{typ: t, many: x.many || y.many, one: x.one || y.one, fails: union(x.fails, y.fails)}
	using, cols := row, row
	switch {
	case x.many && y.many:
		using, cols = row+", inst", row+", inst, x.position AS position, x.instance AS instance"
	case x.many:
		cols = row + ", x.inst AS inst, x.position AS position, x.instance AS instance"
	case y.many:
		cols = row + ", y.inst AS inst, y.position AS position, y.instance AS instance"
	}
	out.table = b.define(syntax.Print(e), "SELECT "+cols+", "+f("x.value", "y.value")+" AS value",
		"FROM "+x.table+" AS x", "JOIN "+y.table+" AS y USING ("+using+")")
	return out
}

func (b *builder) combine(n *syntax.BinaryExpr, t, tx, ty pcp.Type, v, w string) string {
	common := max(tx, ty)
	switch n.Op {
	case syntax.AND:
		return b.bit(b.isTrue(v) + " AND " + b.isTrue(w))
	case syntax.OR:
		return b.bit(b.isTrue(v) + " OR " + b.isTrue(w))
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, "min", "max", "clamp":
		common = t
	case "pow":
		return b.inexact(n, n.Op).number
	}
	if n.Op.IsFunction() && common == pcp.Int32 { // the other operand is a number that fits
		tx, ty = common, common
	}
	v, w = b.convert(v, tx, common), b.convert(w, ty, common)
	s, ok := b.info.Scales[n]
	if ok {
		v, w = scaled(v, s.LeftDiv, s.LeftMul), scaled(w, s.RightDiv, s.RightMul)
	}
	switch n.Op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR:
		return b.arithmetic(n.Op.Symbol(), t, v, w)
	case syntax.SLASH:
		return "CASE WHEN " + v + " = 0 THEN " + b.literal(pcp.Double, 0) + " ELSE " + b.quotient(v, w) + " END"
	case syntax.LT:
		return b.bit(b.compare("<", common, v, w))
	case syntax.LEQ:
		return b.bit(b.compare("<=", common, v, w))
	case syntax.GT:
		return b.bit(b.compare("<", common, w, v))
	case syntax.GEQ:
		return b.bit(b.compare("<=", common, w, v))
	case "max":
		return choose(b.compare("<", common, v, w), w, v)
	case "min", "clamp":
		return choose(b.compare("<", common, w, v), w, v)
	case syntax.EQ:
		return b.bit(b.compare("=", common, v, w))
	}
	return b.bit(b.compare("<>", common, v, w))
}

func (b *builder) arithmetic(op string, t pcp.Type, v, w string) string {
	switch t {
	case pcp.Double:
		return "(" + v + " " + op + " " + w + ")"
	case pcp.Float:
		return b.single("(" + v + " " + op + " " + w + ")")
	}
	return b.integer(op, t, v, w)
}

func (b *builder) single(v string) string { return "CAST(" + v + " AS " + b.types[pcp.Float] + ")" }

func scaled(v string, div, mul float64) string {
	if div != 1 {
		v = "(" + v + " / " + float(div) + ")"
	}
	if mul != 1 {
		v = "(" + v + " * " + float(mul) + ")"
	}
	return v
}

// float returns a number as SQL, with an exponent, which makes it a double in every dialect.
func float(f float64) string { return strconv.FormatFloat(f, 'e', -1, 64) }

func (b *builder) isTrue(v string) string { return v + " <> 0" }

func (b *builder) bit(condition string) string {
	return "CAST((" + condition + ") AS " + b.types[pcp.Int64] + ")"
}

func (b *builder) rescale(n *syntax.RescaleExpr, x values) values {
	return b.scale(n, x, b.info.Types[n.X], b.info.Rescale[n])
}

// scale returns values in other units.
func (b *builder) scale(e syntax.Expr, x values, from check.Type, to pcp.Units) values {
	s, err := pcp.NewScaler(from.Type, from.Units, to)
	f, ok := s.Factor()
	switch {
	case err != nil || !ok:
		return b.refuse(e, "the conversion is more than a factor of 63 bits")
	case f.Mult == f.Div:
		return x
	}
	return b.each(e, x.typ, x, func(v string) string {
		switch x.typ {
		case pcp.Double:
			return "(" + v + " * " + float(f.Ratio) + ")"
		case pcp.Float:
			ratio := float32(f.Mult) / float32(f.Div)
			return b.arithmetic("*", pcp.Float, v, b.single(float(float64(ratio))))
		}
		return b.round(x.typ, v, f.Mult, f.Div)
	})
}
