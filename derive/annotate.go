package derive

import (
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// bound returns what is known of a tree whose names have been looked up: the metadata of metrics and constants.
func (b *bindTrace) bound() *shown {
	s := &shown{
		descs: make(map[*node]nodeDesc), lostRef: make(map[*node]bool), defined: make(map[*node]bool),
		choices: make(map[*node]check.Choice), scales: make(map[*node]factor),
	}
	b.tree.walk(func(n *node) {
		switch {
		case n.role == meta:
			b.boundName(s, n)
		case n.role == leaf:
			if _, ok := n.expr.(*syntax.MetricRef); ok {
				b.boundName(s, n)
				break
			}
			b.boundConst(s, n)
		case n.role == hollow && n.kind != "DEFINED", n.role == anonArg:
			b.boundConst(s, n)
		}
	})
	return s
}

// boundConst adds what is known of a constant.
func (b *bindTrace) boundConst(s *shown, n *node) {
	info, err := b.check(n.expr)
	if err != nil {
		return
	}
	d := nodeDesc{own: pcp.NullID, id: pcp.NullID, Type: info.Root}
	if n.left != nil {
		if id, _, err := b.env.Lookup(n.left.label); err == nil {
			d.id = id
		}
	}
	s.descs[n] = d
}

// boundName adds what is known of a name.
func (b *bindTrace) boundName(s *shown, n *node) {
	none := nodeDesc{own: pcp.NullID, id: pcp.NullID}
	id, _, err := b.env.Lookup(n.label)
	if err != nil {
		if novalue, _ := b.env.s.reg.Control(NoValueOption); novalue != 0 {
			s.lostRef[n] = true
			none.Type = check.Type{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
		}
		s.descs[n] = none
		return
	}
	d, err := b.env.Describe(id)
	if err != nil {
		s.descs[n] = none
		return
	}
	s.descs[n] = nodeDesc{own: id, id: id, Type: check.TypeOf(d)}
}

// check checks a part of the tree by itself.
func (b *bindTrace) check(e syntax.Expr) (*check.Info, error) {
	novalue, _ := b.env.s.reg.Control(NoValueOption)
	return check.Check(e, b.env, &check.Options{Name: b.metric.name, NoValue: novalue != 0, Equivalent: b.env.s.equivalent})
}

// checked returns what is known of a tree whose types have been checked. A nil info means that something does not fit;
// then what is found after that has no metadata.
func (b *bindTrace) checked(info *check.Info) *shown {
	a := &annotator{bindTrace: b, info: info, shown: b.bound()}
	if info == nil && !b.tree.small() {
		return a.shown
	}
	if a.visit(b.tree) && info != nil {
		d := a.descs[b.tree]
		d.id, d.Type = b.metric.id, info.Root
		a.descs[b.tree] = d
	}
	return a.shown
}

// An annotator works out the metadata of a tree.
type annotator struct {
	*bindTrace
	*shown
	info *check.Info
}

// visit adds the metadata of a node and of those below it, unless something does not fit.
func (a *annotator) visit(n *node) bool {
	switch {
	case n == nil:
		return true
	case n.role == hollow && n.kind == "DEFINED":
		return a.visitDefined(n)
	case n.role != inner:
		return true
	case n.kind == "QUEST":
		return a.visitChoice(n)
	case !a.visit(n.left) || !a.visit(n.right):
		return false
	}
	base := a.descs[n.base()]
	info, err := a.typesOf(n.expr)
	if err != nil {
		a.culprit = n
		a.half(n, base, err)
		return false
	}
	a.descs[n] = nodeDesc{own: pcp.NullID, id: base.id, Type: info.Types[n.expr]}
	if e, ok := n.expr.(*syntax.BinaryExpr); ok {
		if sc, ok := info.Scales[e]; ok {
			a.scales[n.left] = factor{sc.LeftDiv, sc.LeftMul}
			a.scales[n.right] = factor{sc.RightDiv, sc.RightMul}
		}
	}
	return true
}

// visitDefined adds the result of defined().
func (a *annotator) visitDefined(n *node) bool {
	call, _ := n.expr.(*syntax.CallExpr)
	info, err := a.check(call)
	if err != nil {
		return false
	}
	a.descs[n] = nodeDesc{own: pcp.NullID, id: pcp.NullID, Type: info.Root}
	a.defined[n] = info.Defined[call]
	return true
}

// typesOf returns an Info with the type of a node.
func (a *annotator) typesOf(e syntax.Expr) (*check.Info, error) {
	if a.info != nil {
		return a.info, nil
	}
	return a.check(e)
}

// base returns the operand that a node has its metadata from.
func (n *node) base() *node {
	switch {
	case n.kind == "FILTERINST":
		return n.right
	case n.right != nil && n.right.role != units && n.left.role == leaf && n.left.kind != "NAME":
		return n.right
	}
	return n.left
}

// half adds what the original has filled in of a node by the time it finds that the node does not fit: nothing for a
// forbidden mix of counters.
func (a *annotator) half(n *node, base nodeDesc, err error) {
	bad, ok := err.(*check.Error)
	if !ok {
		return
	}
	t := base.Type
	switch e := n.expr.(type) {
	case *syntax.BinaryExpr:
		x, y := a.descs[n.left].Type, a.descs[n.right].Type
		if isCounterRule(bad.Text) {
			return
		}
		if x.Sem != pcp.Counter && y.Sem != pcp.Counter {
			t.Sem = pcp.Instant
			if x.Sem == pcp.Discrete && y.Sem == pcp.Discrete {
				t.Sem = pcp.Discrete
			}
		}
		if x.Type.Arithmetic() && y.Type.Arithmetic() {
			t.Type = resultType(e.Op, x.Type, y.Type)
		}
	case *syntax.CallExpr:
		if t.Type.Arithmetic() {
			t.Sem = pcp.Instant
		}
	}
	a.descs[n] = nodeDesc{own: pcp.NullID, id: base.id, Type: t}
}

// isCounterRule reports whether a text is about counters and others as operands of one operator.
func isCounterRule(text string) bool {
	switch text {
	case "Illegal operator for counters", "Illegal operator for counter and non-counter", "Illegal operator for non-counter and counter":
		return true
	}
	return false
}

// resultType is the type of an operator's result.
func resultType(op syntax.Token, x, y pcp.Type) pcp.Type {
	switch op {
	case syntax.SLASH:
		return pcp.Double
	case syntax.PLUS, syntax.MINUS, syntax.STAR:
		return max(x, y)
	}
	return pcp.Uint32
}

// visitChoice adds the metadata of a choice.
func (a *annotator) visitChoice(n *node) bool {
	if !a.visit(n.left) {
		return false
	}
	e, _ := n.expr.(*syntax.TernaryExpr)
	arms := n.right
	from := arms.left
	choice := a.decided(e)
	if a.once {
		values := map[check.Choice]string{check.NotStatic: "-1 [bind both", check.Left: "1 [bind left", check.Right: "0 [bind right"}
		a.printf("check_expr: guard(%s) = %s @ %s(COLON)]\n", n.left.kind, values[choice], arms.id)
	}
	switch choice {
	case check.Left:
		a.choices[arms] = check.Left
		if !a.visit(arms.left) {
			return false
		}
	case check.Right:
		a.choices[arms] = check.Right
		from = arms.right
		if !a.visit(arms.right) {
			return false
		}
	default:
		if !a.visit(arms.left) || !a.visit(arms.right) {
			return false
		}
		if from.kind == "NOVALUE" || a.lost(from) {
			from = arms.right
		}
	}
	d := a.descs[from]
	d.own = pcp.NullID
	a.descs[arms] = d
	info, err := a.typesOf(e)
	if err != nil {
		a.culprit = n
		if bad, ok := err.(*check.Error); ok && pastInDoms(bad.Text) && d.Singular() {
			d.InDom = a.descs[arms.right].InDom
			a.descs[arms] = d
		}
		return false
	}
	d.Type = info.Types[e]
	a.descs[arms], a.descs[n] = d, d
	return true
}

// pastInDoms reports whether a text about a choice comes after the check of instance domains.
func pastInDoms(text string) bool {
	return strings.Contains(text, "for ternary") && !strings.Contains(text, "types") && !strings.Contains(text, "domains")
}

// decided returns which arm is selected beforehand.
func (a *annotator) decided(e *syntax.TernaryExpr) check.Choice {
	if a.info != nil {
		return a.info.Choices[e]
	}
	// The guard alone decides, whatever the arms are.
	probe := &syntax.TernaryExpr{Cond: e.Cond, X: &syntax.IntLit{Text: "1", Value: 1}, Y: &syntax.IntLit{Text: "1", Value: 1}}
	info, err := a.check(probe)
	if err != nil {
		return check.NotStatic
	}
	return info.Choices[probe]
}
