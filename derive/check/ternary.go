package check

import (
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// ternary returns the metadata of a choice (derived.md D7.9). A guard that is known beforehand
// selects an arm, and the other one is not looked at. Then unknown metrics do not matter in the
// guard either, as in defined(a) && a > 1 ? a : 0.
func (c *Checker) ternary(n *syntax.TernaryExpr) (Type, *Error) {
	choice := c.static(n.Cond)
	var guard *Type
	if choice == NotStatic || !c.vague[n] {
		t, err := c.expr(n.Cond)
		if err != nil {
			return t, err
		}
		guard = &t
	}
	if choice != NotStatic {
		return c.selected(n, choice, guard)
	}
	x, err := c.expr(n.X)
	if err != nil {
		return x, err
	}
	y, err := c.expr(n.Y)
	if err != nil {
		return y, err
	}
	t, other := x, y
	switch {
	case c.info.Novalue(n.X):
		t, other = y, x
	case c.info.Novalue(n.Y):
	default:
		if difference := Difference(x, y); difference != "" {
			return t, c.armsError(n, msgTernary(difference))
		}
	}
	if text := guardMisfit(*guard, t.Singular() && other.Singular()); text != "" {
		return t, c.guardError(n, text)
	}
	if t.InDom = x.InDom; x.Singular() {
		t.InDom = y.InDom
	}
	return t, nil
}

// selected returns the metadata of a choice that is made. The guard, if it was checked, must fit
// the arms all the same.
func (c *Checker) selected(n *syntax.TernaryExpr, choice Choice, guard *Type) (Type, *Error) {
	put(&c.info.Choices, n, choice)
	arm, rest := n.X, n.Y
	if choice == Right {
		arm, rest = n.Y, n.X
	}
	c.unchecked(rest)
	t, err := c.expr(arm)
	if err != nil || guard == nil {
		return t, err
	}
	if text := guardMisfit(*guard, t.Singular() && c.singularLeaf(rest)); text != "" {
		return t, c.guardError(n, text)
	}
	return t, nil
}

// unchecked makes operands of the metrics that an arm which is not selected asks defined about: as
// it is not checked, these calls have not become constants yet, and the reference fetches what is
// in them. The values are not used, but the set of fetched metrics decides which record of an
// archive is read.
func (c *Checker) unchecked(arm syntax.Expr) {
	for n := range syntax.Preorder(arm) {
		call, ok := n.(*syntax.CallExpr)
		if !ok || !c.info.Defined[call] {
			continue
		}
		if m, ok := syntax.Unparen(call.X).(*syntax.MetricRef); ok {
			c.operands.add(c.lookup(m.Name).id)
		}
	}
}

func guardMisfit(guard Type, singularArms bool) string {
	switch {
	case !guard.Type.Arithmetic():
		return msgGuardType
	case !guard.Singular() && singularArms:
		return msgGuardInDom
	}
	return ""
}

// Difference returns in what two arms differ that have to be the same, "" for nothing.
func Difference(x, y Type) string {
	u, v := x.Units, y.Units
	switch {
	case x.Type != y.Type:
		return "type"
	case !x.Singular() && !y.Singular() && x.InDom != y.InDom:
		return "indom"
	case x.Sem != y.Sem:
		return "semantics"
	case u.DimSpace != v.DimSpace || u.ScaleSpace != v.ScaleSpace:
		return "units (space)"
	case u.DimTime != v.DimTime || u.ScaleTime != v.ScaleTime:
		return "units (time)"
	case u.DimCount != v.DimCount || u.ScaleCount != v.ScaleCount:
		return "units (count)"
	case u.Extra != v.Extra || u.ExtraScale != v.ExtraScale:
		return "units (extra)"
	}
	return ""
}

// singularLeaf reports whether an arm that is not checked is known to be singular, which only
// metrics and constants are.
func (c *Checker) singularLeaf(e syntax.Expr) bool {
	switch n := syntax.Unparen(e).(type) {
	case *syntax.MetricRef:
		if d, known := c.info.Metrics[n]; known {
			return d.InDom == pcp.NullInDom
		}
		return !c.unknown[n]
	case *syntax.IntLit, *syntax.FloatLit:
		return true
	case *syntax.ConstExpr:
		t, err := c.withSpecs(literalType(n.X), n.Specs)
		return err == nil && t.Singular()
	case *syntax.NovalueExpr:
		t, err := c.withSpecs(absent, n.Specs)
		return err == nil && t.Singular()
	}
	return false
}

// static works out a guard without values: from integers, defined, and boolean operators.
func (c *Checker) static(e syntax.Expr) Choice {
	switch n := syntax.Unparen(e).(type) {
	case *syntax.IntLit:
		return choose(n.Value != 0)
	case *syntax.ConstExpr:
		return c.static(n.X)
	case *syntax.CallExpr:
		if defined, ok := c.info.Defined[n]; ok {
			return choose(defined)
		}
	case *syntax.UnaryExpr:
		if n.Op == syntax.NOT {
			return opposite(c.static(n.X))
		}
	case *syntax.BinaryExpr:
		if !isBoolean(n.Op) {
			break
		}
		decides := choose(n.Op == syntax.OR)
		switch c.static(n.X) {
		case decides:
			return decides
		case opposite(decides):
			return c.static(n.Y)
		}
	}
	return NotStatic
}

func choose(v bool) Choice {
	if v {
		return Left
	}
	return Right
}

func opposite(v Choice) Choice {
	switch v {
	case Left:
		return Right
	case Right:
		return Left
	}
	return NotStatic
}
