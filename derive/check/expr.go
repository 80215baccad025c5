package check

import (
	"fmt"

	"pmtools/derive/internal/ere"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

func (c *Checker) expr(e syntax.Expr) (Type, *Error) {
	t, err := c.typeOf(e)
	if err != nil {
		return Type{}, err
	}
	put(&c.info.Types, e, t)
	return t, nil
}

// typeOf works out the metadata of e (derived.md D7.3 to D7.9).
func (c *Checker) typeOf(e syntax.Expr) (Type, *Error) {
	switch n := e.(type) {
	case *syntax.MetricRef:
		return c.metric(n)
	case *syntax.IntLit, *syntax.FloatLit:
		return c.literal(n), nil
	case *syntax.ParenExpr:
		return c.expr(n.X)
	case *syntax.NestExpr:
		return c.nested(n)
	case *syntax.UnaryExpr:
		return c.unary(n)
	case *syntax.BinaryExpr:
		return c.binary(n)
	case *syntax.TernaryExpr:
		return c.ternary(n)
	case *syntax.InstExpr:
		return c.expr(n.X)
	case *syntax.CallExpr:
		return c.call(n)
	case *syntax.RescaleExpr:
		return c.rescale(n)
	case *syntax.MatchInstExpr:
		return c.matchInst(n)
	case *syntax.ConstExpr:
		return c.constant(n)
	case *syntax.NovalueExpr:
		return c.withSpecs(absent, n.Specs)
	}
	panic(fmt.Sprintf("check: unexpected node %T", e))
}

func (c *Checker) metric(n *syntax.MetricRef) (Type, *Error) {
	d, known := c.info.Metrics[n]
	switch {
	case known:
		return TypeOf(d), nil
	case c.unknown[n]:
		return Type{}, c.operandError(n.NamePos, n.Name, msgUnknownTernary)
	}
	return absent, nil
}

// unary returns the metadata of a negation. A logical one is a number of 32 bits; the reference
// does not say so and keeps the operand's type, which is kept where it does no harm (derived.md D16
// row 8).
func (c *Checker) unary(n *syntax.UnaryExpr) (Type, *Error) {
	t, err := c.expr(n.X)
	switch {
	case err != nil:
		return t, err
	case !t.Type.Arithmetic():
		return t, c.misfit(n.OpPos, n.Op.Symbol()+" "+c.name(n.X), msgNegation, Operand{Role: "operand", Expr: n.X})
	case n.Op == syntax.NOT:
		if t.Type != pcp.Int32 {
			t.Type = pcp.Uint32
		}
		return t, nil
	}
	switch t.Type {
	case pcp.Uint32:
		t.Type = pcp.Int32
	case pcp.Uint64:
		t.Type = pcp.Int64
	}
	t.Sem = pcp.Instant
	return t, nil
}

// call returns the metadata of the functions of one operand (derived.md D7.7).
func (c *Checker) call(n *syntax.CallExpr) (Type, *Error) {
	switch n.Fun {
	case "defined":
		return Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}, nil
	case "anon":
		return anonType(n), nil
	}
	t, err := c.expr(n.X)
	if err != nil {
		return t, err
	}
	r := ruleOf(n.Fun)
	if r == nil || r.result == nil {
		panic(fmt.Sprintf("check: unexpected function %s", n.Fun))
	}
	if r.numbers && !t.Type.Arithmetic() {
		return t, c.callError(n, msgFunction)
	}
	if r.refuse != nil {
		if text := r.refuse(t); text != "" {
			err := c.callError(n, text)
			if text == msgCounter {
				err.cure(func(with cure) string { return r.refuse(with(t)) })
			}
			return t, err
		}
	}
	if n.By != nil {
		return c.grouped(n, t, r.result(t))
	}
	return r.result(t), nil
}

func deltaType(t Type) Type {
	switch t.Type {
	case pcp.Uint32:
		t.Type = pcp.Int64
	case pcp.Uint64:
		t.Type = pcp.Double
	}
	t.Sem = pcp.Instant
	return t
}

// rateType is the type of differences for each second. For a time it is the share of the time that
// passed.
func rateType(t Type) Type {
	t.Type, t.Sem = pcp.Double, pcp.Instant
	t.Units.DimTime--
	t.Units.ScaleTime = 0
	if t.Units.DimTime != 0 {
		t.Units.ScaleTime = pcp.Sec
	}
	return t
}

func anonType(n *syntax.CallExpr) Type {
	t := Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
	if m, ok := syntax.Unparen(n.X).(*syntax.MetricRef); ok && len(m.Name) > len("PM_TYPE_") {
		if typ, ok := TypeNamed(m.Name[len("PM_TYPE_"):]); ok {
			t.Type = typ
		}
	}
	return t
}

func (c *Checker) rescale(n *syntax.RescaleExpr) (Type, *Error) {
	t, err := c.expr(n.X)
	if err != nil {
		return t, err
	}
	units, err := c.parseUnits(n.UnitsPos, n.Units)
	switch {
	case err != nil:
		return t, err
	case !t.Type.Arithmetic():
		return t, c.rescaleError(n, units, msgFunction)
	}
	if _, err := pcp.NewScaler(t.Type, t.Units, units); err != nil {
		err := c.rescaleError(n, units, msgIncompatible)
		if t.Sem == pcp.Counter {
			err.cure(func(with cure) string {
				if _, err := pcp.NewScaler(with(t).Type, with(t).Units, units); err != nil {
					return msgIncompatible
				}
				return ""
			})
		}
		return t, err
	}
	put(&c.info.Rescale, n, units)
	t.Units = units
	return t, nil
}

// matchInst compiles the pattern of matchinst; the metadata is that of the operand.
func (c *Checker) matchInst(n *syntax.MatchInstExpr) (Type, *Error) {
	t, err := c.expr(n.X)
	if err != nil {
		return t, err
	}
	match, bad := ere.Compile(n.Pattern)
	if bad != nil {
		return t, &Error{Pos: n.PatternPos, What: "MATCHINST", Text: "bad regular expression: '" + bad.Error() + "'"}
	}
	put(&c.info.Patterns, n, match)
	return t, nil
}
