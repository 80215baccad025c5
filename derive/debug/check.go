package debug

import (
	"fmt"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// boundTree returns the tree of a metric that was checked; bad is the mistake that was found, if
// any.
func boundTree(s *derive.State, m *derive.Metric, info *check.Info, bad *check.Error) *tree {
	t := newTree(m)
	t.bind(s, info)
	t.check(bad)
	return t
}

// bind adds the metadata of metrics and constants to a tree whose names have been looked up.
func (t *tree) bind(s *derive.State, info *check.Info) {
	t.bound, t.novalue, t.info = true, s.NoValue, info
	t.root.walk(func(n *node) {
		ref, isName := n.expr.(*syntax.MetricRef)
		switch {
		case n.role == meta:
			d, ok := info.Mentions[n.meta]
			t.bindName(n, d, ok)
		case n.role == leaf && isName:
			d, ok := info.Metrics[ref]
			if !ok {
				d, ok = info.Mentions[ref]
			}
			t.bindName(n, d, ok)
		case n.role == leaf, n.role == novalue, n.role == anonArg:
			typ, ok := constantType(n.expr, s, info)
			if !ok {
				break
			}
			n.from, n.Type = pcp.NullID, typ
			if n.left != nil {
				if d, ok := info.Mentions[n.left.meta]; ok {
					n.from = d.ID
				}
			}
		}
	})
}

func (t *tree) bindName(n *node, d pcp.Desc, known bool) {
	switch {
	case known:
		n.own, n.from, n.Type = d.ID, d.ID, check.TypeOf(d)
	case t.novalue:
		n.lost, n.from, n.Type = true, pcp.NullID, check.Type{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
	default:
		n.from = pcp.NullID
	}
}

// constantType returns the metadata of a constant, which the check may not have come to.
func constantType(e syntax.Expr, s *derive.State, info *check.Info) (check.Type, bool) {
	if t, ok := info.Types[e]; ok {
		return t, true
	}
	info, err := check.Check(e, mentions{info}, &check.Options{NoValue: s.NoValue})
	return info.Root, err == nil
}

// mentions is the Env of metrics that are mentioned by meta=.
type mentions struct{ *check.Info }

func (m mentions) Lookup(name string) (pcp.ID, bool, error) {
	for n, d := range m.Mentions {
		if s, ok := n.(*syntax.Spec); ok && s.Value == name {
			return d.ID, false, nil
		}
	}
	return pcp.NullID, false, pmerr.Name
}

func (m mentions) Describe(id pcp.ID) (pcp.Desc, error) {
	for _, d := range m.Mentions {
		if d.ID == id {
			return d, nil
		}
	}
	return pcp.Desc{}, pmerr.PMID
}

// check adds the metadata that the check of types found to a bound tree. Nodes that the check did
// not reach because of a mistake have no metadata.
func (t *tree) check(bad *check.Error) {
	c := checker{tree: t, bad: bad}
	if c.visit(t.root) && bad == nil {
		t.root.from, t.root.Type = t.metric.ID, t.info.Root
	}
}

type checker struct {
	*tree
	bad *check.Error // the mistake that ends it, or nil
}

// visit adds the metadata of a node and of those below it. It returns false at the mistake.
func (c *checker) visit(n *node) bool {
	switch {
	case n == nil || n.role != inner && n.role != defined:
		return true
	case n.role == defined:
		n.decided, n.from = true, pcp.NullID
		n.Type = check.Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
		return true
	case n.kind == "QUEST":
		return c.choose(n)
	case !c.visit(n.left) || !c.visit(n.right):
		return false
	}
	n.from = n.base().from
	typ, ok := c.info.Types[n.expr]
	if !ok && c.bad != nil {
		c.half(n)
		return false
	}
	n.Type = typ
	if e, ok := n.expr.(*syntax.BinaryExpr); ok {
		if s, ok := c.info.Scales[e]; ok {
			n.left.div, n.left.mul = s.LeftDiv, s.LeftMul
			n.right.div, n.right.mul = s.RightDiv, s.RightMul
		}
	}
	return true
}

// half adds what the reference has filled in of a node by the time it finds that the node does not
// fit: nothing for a forbidden mix of counters.
func (c *checker) half(n *node) {
	t := n.base().Type
	switch e := n.expr.(type) {
	case *syntax.BinaryExpr:
		x, y := n.left.Type, n.right.Type
		if c.bad.Counters {
			n.from = 0
			return
		}
		t.Sem = check.ResultSem(x, y, t)
		if x.Type.Arithmetic() && y.Type.Arithmetic() {
			t.Type = check.ResultType(e.Op, x, y)
		}
	case *syntax.CallExpr:
		if t.Type.Arithmetic() {
			t.Sem = pcp.Instant
		}
	}
	n.Type = t
}

// choose adds the metadata of a choice. A guard that decides is not checked if it mentions unknown
// metrics.
func (c *checker) choose(n *node) bool {
	e, _ := n.expr.(*syntax.TernaryExpr)
	arms := n.right
	choice := c.info.Choices[e]
	if _, checked := c.info.Types[e.Cond]; checked || choice == check.NotStatic {
		if !c.visit(n.left) {
			return false
		}
	} else {
		(&checker{tree: c.tree}).visit(n.left)
	}
	values := [...]string{check.NotStatic: "-1 [bind both", check.Left: "1 [bind left", check.Right: "0 [bind right"}
	fmt.Fprintf(&c.guards, "check_expr: guard(%s) = %s @ %s(COLON)]\n", n.left.kind, values[choice], arms.id)
	arms.choice = choice
	if choice != check.Right && !c.visit(arms.left) || choice != check.Left && !c.visit(arms.right) {
		return false
	}
	from := arms.left
	if choice == check.Right || choice == check.NotStatic && (from.kind == "NOVALUE" || from.lost) {
		from = arms.right
	}
	arms.from, arms.Type = from.from, from.Type
	typ, ok := c.info.Types[e]
	if !ok && c.bad != nil {
		if c.bad.Pos == e.Colon {
			c.differ(arms.left.Type, arms.right.Type)
		}
		if arms.Singular() {
			arms.InDom = arms.right.InDom
		}
		return false
	}
	arms.Type = typ
	n.from, n.Type = arms.from, arms.Type
	return true
}

func (c *checker) differ(x, y check.Type) {
	what := check.Difference(x, y)
	var left, right any = x.Units, y.Units
	switch u, v := x.Units, y.Units; what {
	case "type":
		left, right = x.Type, y.Type
	case "indom":
		left, right = x.InDom, y.InDom
	case "semantics":
		left, right = x.Sem, y.Sem
	case "units (space)":
		left, right = scaled(u, u.DimSpace, u.ScaleSpace), scaled(v, v.DimSpace, v.ScaleSpace)
	}
	c.misfit = fmt.Sprintf("%s: left=%v right=%v", what, left, right)
}

func scaled(u pcp.Units, dim, scale int8) string {
	return fmt.Sprintf("%v (dim=%d scale=%d)", u, dim, scale)
}
