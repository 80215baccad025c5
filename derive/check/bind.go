package check

import (
	"errors"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A lookup is what the Env says about a name. Its descriptor is requested when it is first needed.
type lookup struct {
	id      pcp.ID
	found   bool
	derived bool

	described bool
	desc      pcp.Desc
	err       error // why it is not found, or not described
}

// metadata is what meta= refers to. An unknown metric is an error only where the constant is used.
type metadata struct {
	Type
	known bool
}

// absent is the metadata of an unknown metric and of novalue() without arguments.
var absent = Type{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}

// bind resolves the names in e from left to right (derived.md D7.1). Within a choice unknown ones
// are tolerated.
func (c *Checker) bind(e syntax.Expr, tolerant bool) *Error {
	switch n := e.(type) {
	case *syntax.MetricRef:
		return c.bindMetric(n, tolerant)
	case *syntax.NestExpr:
		return c.bindNest(n, tolerant)
	case *syntax.TernaryExpr:
		return c.bindChoice(n)
	case *syntax.CallExpr:
		if n.Fun == "anon" {
			return nil
		}
		if m, ok := syntax.Unparen(n.X).(*syntax.MetricRef); ok && n.Fun == "defined" {
			return c.bindDefined(n, m)
		}
	case *syntax.ConstExpr, *syntax.NovalueExpr:
		return c.bindMeta(syntax.Specs(n), tolerant)
	}
	for _, x := range syntax.Operands(e) {
		if x == nil {
			break
		}
		if err := c.bind(*x, tolerant); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) bindChoice(n *syntax.TernaryExpr) *Error {
	before := c.unknowns
	if err := c.bind(n.Cond, true); err != nil {
		return err
	}
	if c.unknowns > before {
		put(&c.vague, n, true)
	}
	if err := c.bind(n.X, true); err != nil {
		return err
	}
	return c.bind(n.Y, true)
}

func (c *Checker) bindDefined(n *syntax.CallExpr, m *syntax.MetricRef) *Error {
	l := c.lookup(m.Name)
	if l.found && l.derived || m.Name == c.opt.Name {
		return c.operandError(m.NamePos, m.Name, msgNested)
	}
	if l.found { // which is not enough: the reference describes it too
		d, err := c.describe(m.NamePos, m.Name)
		if err != nil {
			return err
		}
		put(&c.info.Mentions, syntax.Node(m), d)
	}
	put(&c.info.Defined, n, l.found)
	return nil
}

func (c *Checker) bindMetric(n *syntax.MetricRef, tolerant bool) *Error {
	l := c.lookup(n.Name)
	switch {
	case n.Name == c.opt.Name && c.opt.Name != "", l.derived && c.root != syntax.Expr(n):
		return c.operandError(n.NamePos, n.Name, msgNested)
	case l.found:
	case c.opt.NoValue:
		return nil
	case tolerant:
		put(&c.unknown, n, true)
		c.unknowns++
		return nil
	default:
		return c.operandError(n.NamePos, n.Name, msgUnknown)
	}
	d, err := c.describe(n.NamePos, n.Name)
	if err != nil {
		return err
	}
	put(&c.info.Metrics, n, d)
	c.operands.add(l.id)
	return nil
}

// bindMeta resolves the last meta= of a constant.
func (c *Checker) bindMeta(specs []*syntax.Spec, tolerant bool) *Error {
	s := lastMeta(specs)
	if s == nil {
		return nil
	}
	l := c.lookup(s.Value)
	switch {
	case s.Value == c.opt.Name && c.opt.Name != "":
		return c.operandError(s.ValuePos, s.Value, msgNested)
	case l.found:
	case c.opt.NoValue:
		put(&c.meta, s, metadata{absent, true})
		return nil
	case tolerant:
		put(&c.meta, s, metadata{})
		return nil
	default:
		return c.operandError(s.ValuePos, s.Value, msgUnknown)
	}
	d, err := c.describe(s.ValuePos, s.Value)
	if err != nil {
		return err
	}
	put(&c.meta, s, metadata{TypeOf(d), true})
	put(&c.info.Mentions, syntax.Node(s), d)
	return nil
}

func lastMeta(specs []*syntax.Spec) *syntax.Spec {
	for i := len(specs) - 1; i >= 0; i-- {
		if specs[i].Tag == syntax.META {
			return specs[i]
		}
	}
	return nil
}

func (c *Checker) lookup(name string) lookup {
	l, ok := c.names[name]
	if !ok {
		id, derived, err := c.env.Lookup(name)
		l = lookup{id: id, found: err == nil, derived: err == nil && derived, err: err}
		put(&c.names, name, l)
	}
	return l
}

func (c *Checker) describe(pos syntax.Pos, name string) (pcp.Desc, *Error) {
	l := c.names[name]
	if !l.described {
		l.desc, l.err = c.env.Describe(l.id)
		l.described = !errors.Is(l.err, ErrLoop) // a loop depends on where the question comes from
		put(&c.names, name, l)
	}
	switch {
	case errors.Is(l.err, ErrLoop):
		return pcp.Desc{}, c.operandError(pos, name, msgNested)
	case l.err != nil:
		return pcp.Desc{}, c.operandError(pos, name, msgNoMetadata)
	}
	return l.desc, nil
}
