package check

import (
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A place is where an expression stands: in a choice, where unknown names are tolerated, or not.
type place struct {
	x        syntax.Expr
	tolerant bool
}

// A bound is an expression whose names have been resolved.
type bound struct {
	err      *Error
	operands []pcp.ID
	unknowns int
}

// A checked is an expression whose types have been determined. The operands are those that
// Checker.unchecked adds.
type checked struct {
	typ      Type
	err      *Error
	operands []pcp.ID
}

// bindWhole resolves the names in a whole expression, once for each kind of place.
func (c *Checker) bindWhole(x syntax.Expr, tolerant bool) *bound {
	b := c.bounds[place{x, tolerant}]
	if b == nil {
		b = new(bound)
		unknowns := c.unknowns
		c.unknowns = 0
		b.operands = c.collect(func() { b.err = c.bind(x, tolerant) })
		b.unknowns, c.unknowns = c.unknowns, unknowns
		if b.err != nil {
			b.err.Names = true
		}
		put(&c.bounds, place{x, tolerant}, b)
	}
	return b
}

// checkWhole works out the metadata of a whole expression, once.
func (c *Checker) checkWhole(x syntax.Expr) *checked {
	t := c.checks[x]
	if t == nil {
		t = new(checked)
		t.operands = c.collect(func() { t.typ, t.err = c.expr(x) })
		put(&c.checks, x, t)
	}
	return t
}

func (c *Checker) bindNest(n *syntax.NestExpr, tolerant bool) *Error {
	b := c.bindWhole(n.X, tolerant)
	c.unknowns += b.unknowns
	c.operands.add(b.operands...)
	return b.err.Inside(n.Ref)
}

func (c *Checker) nested(n *syntax.NestExpr) (Type, *Error) {
	t := c.checkWhole(n.X)
	c.operands.add(t.operands...)
	return t.typ, t.err.Inside(n.Ref)
}

func (c *Checker) collect(f func()) []pcp.ID {
	outer := c.operands
	c.operands = operands{}
	f()
	inner := c.operands
	c.operands = outer
	return inner.list
}

// operands is a list of metrics, each of them once, in the order in which they were added.
type operands struct {
	list []pcp.ID
	has  map[pcp.ID]bool // nil while the list is short
}

const shortList = 8

func (o *operands) add(ids ...pcp.ID) {
	for _, id := range ids {
		if o.has == nil && len(o.list) > shortList {
			o.has = make(map[pcp.ID]bool)
			for _, id := range o.list {
				o.has[id] = true
			}
		}
		switch {
		case o.has == nil && slices.Contains(o.list, id), o.has[id]:
			continue
		case o.has != nil:
			o.has[id] = true
		}
		o.list = append(o.list, id)
	}
}
