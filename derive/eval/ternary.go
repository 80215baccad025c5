package eval

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// selected evaluates a choice that is made: the values of one arm, if the condition has any.
func (s *State) selected(n *node) *pcp.Values {
	known := true
	if n.c >= 0 {
		c := s.eval(n.c)
		if c.Err != nil {
			return s.fail(n, c.Err)
		}
		known = len(c.Insts) > 0
	}
	x := s.eval(n.x)
	switch {
	case x.Err != nil:
		return s.fail(n, x.Err)
	case !known || len(x.Insts) == 0:
		return s.empty(n)
	case !choosable(n.typ):
		return s.fail(n, pmerr.Type)
	}
	return x
}

func choosable(t pcp.Type) bool { return t.Arithmetic() || t == pcp.String }

// ternary evaluates a choice whose condition has values. Both arms are evaluated, and an arm other
// than novalue() that has no values leaves the result without any. A condition with instances
// chooses for each of them: an instance is left out if the condition does not have it, if its arm
// is novalue(), or if its arm lacks it. The result has the order of the first arm, and after that
// what only the second one has. (The reference goes by position, which mixes up instances unless
// all sides have the same.)
func (s *State) ternary(n *node) *pcp.Values {
	c := s.eval(n.c)
	if c.Err != nil {
		return s.fail(n, c.Err)
	}
	x := s.eval(n.x)
	if x.Err != nil {
		return s.fail(n, x.Err)
	}
	if n.novX {
		x = nil // the column may be shared with the other arm
	}
	y := s.eval(n.y)
	if y.Err != nil {
		return s.fail(n, y.Err)
	}
	if n.novY {
		y = nil
	}
	out := s.empty(n)
	if len(c.Insts) == 0 || x != nil && len(x.Insts) == 0 || y != nil && len(y.Insts) == 0 {
		return out
	}
	if s.plan.nodes[n.c].singular() {
		s.chooseOne(n, out, c, x, y)
	} else {
		s.chooseEach(n, out, c, x, y)
	}
	if len(out.Insts) > 0 && !choosable(n.typ) {
		return s.fail(n, pmerr.Type)
	}
	return out
}

// chooseOne lets a single value decide for all instances.
func (s *State) chooseOne(n *node, out, c, x, y *pcp.Values) {
	xn, yn := &s.plan.nodes[n.x], &s.plan.nodes[n.y]
	chosen, other := x, y
	chosenNode, otherNode := xn, yn
	if !nonzero(s.plan.nodes[n.c].typ, c.Words[0]) {
		chosen, other = y, x
		chosenNode, otherNode = yn, xn
	}
	switch {
	case chosen == nil:
	case chosenNode.singular() && other != nil && !otherNode.singular():
		for _, inst := range other.Insts {
			take(out, chosen, 0, inst)
		}
	default:
		for i, inst := range chosen.Insts {
			take(out, chosen, i, inst)
		}
	}
}

// chooseEach lets the condition decide for each instance.
func (s *State) chooseEach(n *node, out, c, x, y *pcp.Values) {
	test := s.plan.nodes[n.c].typ
	guard, xs, ys := &s.finders[0], s.arm(1, n.x, x), s.arm(2, n.y, y)
	guard.reset(c.Insts)
	choose := func(inst int32) {
		g := guard.find(inst)
		if g < 0 {
			return
		}
		arm := &ys
		if nonzero(test, c.Words[g]) {
			arm = &xs
		}
		if i := arm.find(inst); i >= 0 {
			take(out, arm.values, i, inst)
		}
	}
	if xs.many {
		for _, inst := range x.Insts {
			choose(inst)
		}
	}
	if ys.many {
		for _, inst := range y.Insts {
			if !xs.many || xs.find(inst) < 0 {
				choose(inst)
			}
		}
	}
}

type arm struct {
	values *pcp.Values // nil for novalue()
	many   bool        // it has instances
	finder *finder
}

// arm returns the arm that node number i is, with finder number f.
func (s *State) arm(f, i int, v *pcp.Values) arm {
	a := arm{values: v, finder: &s.finders[f]}
	if v != nil && !s.plan.nodes[i].singular() {
		a.many = true
		a.finder.reset(v.Insts)
	}
	return a
}

func (a *arm) find(inst int32) int {
	switch {
	case a.values == nil:
		return -1
	case a.many:
		return a.finder.find(inst)
	}
	return 0
}
