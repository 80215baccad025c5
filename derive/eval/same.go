package eval

import (
	"slices"

	"pmtools/lib/pcp"
)

// Same reports whether two plans certainly have the same values for any input. It is false for plans of which that
// cannot be seen, and for any with patterns.
func (p *Plan) Same(o *Plan) bool {
	c := comparison{p, o}
	return p.nodes[p.root].column.like(&o.nodes[o.root].column) && c.same(p.root, o.root)
}

// like reports whether values of two columns have the same form.
func (c *column) like(o *column) bool { return c.typ == o.typ && c.indom == o.indom }

// like reports whether two operators combine operands alike.
func (p *pair) like(o *pair) bool {
	return p.op == o.op && p.invert == o.invert && p.common == o.common && equal(p.scale, o.scale)
}

// equal reports whether two pointers are nil, or point to equal values.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

type comparison struct{ p, o *Plan }

// plain returns the node that has the values of node number i: instant() and scalar() of one value leave it alone.
func (p *Plan) plain(i int) int {
	for {
		n := &p.nodes[i]
		switch {
		case n.kind == kInstant, n.kind == kShared, n.kind == kProbe, n.kind == kScalar && p.nodes[n.x].singular():
			i = n.x
		default:
			return i
		}
	}
}

func (c comparison) same(i, j int) bool {
	i, j = c.p.plain(i), c.o.plain(j)
	a, b := &c.p.nodes[i], &c.o.nodes[j]
	switch {
	case !a.column.like(&b.column):
		return false
	case c.p.known(i) && c.o.known(j):
		return slices.Equal(c.p.value(i), c.o.value(j))
	case a.kind == kBinary && b.kind == kBinary && c.neutral(a, b):
		return c.same(a.x, b.x)
	case a.kind.extreme() && b.kind.extreme() && c.p.nodes[a.x].singular() && c.o.nodes[b.x].singular():
		return c.same(a.x, b.x)
	case a.kind == kMatch || b.kind == kMatch:
		return false
	}
	left, right := *a, *b
	for _, n := range []*node{&left, &right} { // where memory is, and what is compared below
		n.column, n.x, n.y, n.c = column{}, 0, 0, 0
		switch n.kind {
		case kMetric, kDelta, kRate, kInst, kConst, kOver, kGroup:
			n.arg = 0
		}
	}
	if left.kind != right.kind || left.arg != right.arg || left.word != right.word || !left.pair.like(&right.pair) ||
		left.change != right.change || left.choice != right.choice || !equal(left.scaler, right.scaler) ||
		left.strict != right.strict || a.kind == kInst && left.filter.name != right.filter.name {
		return false
	}
	switch a.kind {
	case kNone, kConst, kConstEach:
		return true
	case kMetric:
		return c.p.operands[a.arg] == c.o.operands[b.arg]
	case kOver:
		return c.p.spans[a.arg] == c.o.spans[b.arg] && c.same(a.x, b.x)
	case kGroup:
		by, other := &c.p.groups[a.arg], &c.o.groups[b.arg]
		return by.fun == other.fun && by.by.Same(other.by) && c.same(a.x, b.x)
	case kBinary:
		return c.same(a.x, b.x) && c.same(a.y, b.y)
	case kTernary:
		return c.same(a.c, b.c) && c.same(a.x, b.x) && c.same(a.y, b.y)
	case kSelect:
		return (a.c < 0) == (b.c < 0) && (a.c < 0 || c.same(a.c, b.c)) && c.same(a.x, b.x)
	}
	return c.same(a.x, b.x)
}

func (k kind) extreme() bool { return k == kMin || k == kMax }

// neutral reports whether two operators change nothing: a factor or divisor of 1, or a sum or difference with 0.
func (c comparison) neutral(a, b *node) bool {
	return a.pair.scale == nil && b.pair.scale == nil && a.pair.neutral(c.p, a.y) && b.pair.neutral(c.o, b.y)
}

func (p *pair) neutral(plan *Plan, y int) bool {
	n := &plan.nodes[plan.plain(y)]
	if n.kind != kConst || !n.typ.Arithmetic() {
		return false
	}
	f, err := pcp.WordValue(n.typ, n.word).Float64()
	return err == nil && (f == 1 && (p.op == opMul || p.op == opDiv) || f == 0 && (p.op == opAdd || p.op == opSub))
}

// known reports whether a node has one value that is known beforehand.
func (p *Plan) known(i int) bool {
	n := &p.nodes[p.plain(i)]
	switch {
	case !n.singular() || !n.typ.Arithmetic():
		return false
	case n.kind == kConst:
		return true
	case n.kind == kBinary:
		return p.known(n.x) && p.known(n.y)
	}
	return (n.kind == kNegate || n.kind == kNot || n.kind == kRescale) && p.known(n.x)
}

// value returns the words of a node that is known.
func (p *Plan) value(i int) []uint64 {
	s := p.NewState()
	s.in = new(Input)
	return slices.Clone(s.eval(p.plain(i)).Words)
}
