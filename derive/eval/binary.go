package eval

import (
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

type op uint8

const (
	opAdd op = iota
	opSub
	opMul
	opDiv
	opMin
	opMax
	opPow
	opLess
	opLessEqual
	opEqual
	opNotEqual
	opAnd
	opOr
)

// operators has the loops of the operators. The relations > and >= are < and <= with the sides of
// their loops exchanged.
var operators = [...]struct {
	tok syntax.Token
	pair
}{
	{syntax.PLUS, pair{op: opAdd}}, {syntax.MINUS, pair{op: opSub}}, {syntax.STAR, pair{op: opMul}}, {syntax.SLASH, pair{op: opDiv}},
	{syntax.LT, pair{op: opLess}}, {syntax.LEQ, pair{op: opLessEqual}}, {syntax.GT, pair{op: opLess, invert: true}}, {syntax.GEQ, pair{op: opLessEqual, invert: true}},
	{syntax.EQ, pair{op: opEqual}}, {syntax.NEQ, pair{op: opNotEqual}}, {syntax.AND, pair{op: opAnd}}, {syntax.OR, pair{op: opOr}},
	{"min", pair{op: opMin}}, {"clamp", pair{op: opMin}}, {"max", pair{op: opMax}}, {"pow", pair{op: opPow}},
}

func (p *planner) binary(e *syntax.BinaryExpr, n node) int {
	n.kind = kBinary
	for i := range operators {
		if operators[i].tok == e.Op {
			n.pair = operators[i].pair
		}
	}
	n.pair.common = max(p.info.Types[e.X].Type, p.info.Types[e.Y].Type)
	if n.pair.op < opLess {
		n.pair.common = n.typ
	}
	if scale, ok := p.info.Scales[e]; ok {
		n.pair.scale = &scale
	}
	n.x, n.y = p.add(e.X), p.add(e.Y)
	n.slot = p.alloc()
	p.release(n.x, n.y)
	return p.push(n)
}

// binary evaluates an operator: the instances of both sides are brought together, the values
// converted to one type, and then combined.
func (s *State) binary(n *node) *pcp.Values {
	x := s.eval(n.x)
	if x.Err != nil {
		return s.fail(n, x.Err)
	}
	y := s.eval(n.y)
	if y.Err != nil {
		return s.fail(n, y.Err)
	}
	out := s.empty(n)
	if len(x.Insts) == 0 || len(y.Insts) == 0 {
		return out
	}
	xs, ys := x.Words, y.Words
	xn, yn := &s.plan.nodes[n.x], &s.plan.nodes[n.y]
	switch {
	case yn.singular():
		out.Insts = append(out.Insts, x.Insts...)
		ys = s.spread(ys, len(xs))
	case xn.singular():
		out.Insts = append(out.Insts, y.Insts...)
		xs = s.spread(xs, len(ys))
	case slices.Equal(x.Insts, y.Insts):
		out.Insts = append(out.Insts, x.Insts...)
	default:
		xs, ys = s.join(out, x, y.Insts, y.Words)
	}
	size := len(out.Insts)
	pair := &n.pair
	xs = pair.operand(&s.left, xs, xn.typ)
	ys = pair.operand(&s.right, ys, yn.typ)
	if scale := pair.scale; scale != nil {
		rescale(xs, scale.LeftDiv, scale.LeftMul)
		rescale(ys, scale.RightDiv, scale.RightMul)
	}
	if pair.invert {
		xs, ys = ys, xs
	}
	out.Words = slices.Grow(out.Words, size)[:size]
	combine(pair.op, pair.common, out.Words, xs[:size], ys[:size])
	return out
}

// operand returns the words of one side as the common type wants them, in buf if they have to be
// changed.
func (p *pair) operand(buf *[]uint64, words []uint64, from pcp.Type) []uint64 {
	if same(from, p.common) && p.scale == nil {
		return words
	}
	*buf = slices.Grow((*buf)[:0], len(words))[:len(words)]
	convert(*buf, words, from, p.common)
	return *buf
}

// spread returns the only one of the words n times.
func (s *State) spread(words []uint64, n int) []uint64 {
	if n == 1 {
		return words
	}
	s.wide = slices.Grow(s.wide[:0], n)[:n]
	for i := range s.wide {
		s.wide[i] = words[0]
	}
	return s.wide
}

// join puts the instances of x that are among others too into out, in the order of x, and returns
// the values of both.
func (s *State) join(out, x *pcp.Values, others []int32, words []uint64) (xs, ys []uint64) {
	s.wide, s.wide2 = s.wide[:0], s.wide2[:0]
	s.finders[0].reset(others)
	for i, inst := range x.Insts {
		if j := s.finders[0].find(inst); j >= 0 {
			out.Insts = append(out.Insts, inst)
			s.wide = append(s.wide, x.Words[i])
			s.wide2 = append(s.wide2, words[j])
		}
	}
	return s.wide, s.wide2
}

// A finder finds instances in a list. Most lists are asked in their own order, so it looks at the
// next one first; it makes an index when that has failed too often.
type finder struct {
	list  []int32
	next  int
	tries int
	index map[int32]int32
	built bool
}

func (f *finder) reset(list []int32) { f.list, f.next, f.tries, f.built = list, 0, 0, false }

func (f *finder) find(inst int32) int {
	if f.next < len(f.list) && f.list[f.next] == inst {
		f.next++
		return f.next - 1
	}
	i := f.search(inst)
	if i >= 0 {
		f.next = i + 1
	}
	return i
}

// search looks at the whole list, or in the index.
func (f *finder) search(inst int32) int {
	const few = 8 // tries before an index pays
	if f.built {
		if i, ok := f.index[inst]; ok {
			return int(i)
		}
		return -1
	}
	if f.tries++; f.tries <= few || len(f.list) < 2*few {
		return slices.Index(f.list, inst)
	}
	if f.index == nil {
		f.index = make(map[int32]int32, len(f.list))
	}
	clear(f.index)
	for i, x := range slices.Backward(f.list) { // so that the first of equal ones holds, as for slices.Index
		f.index[x] = int32(i)
	}
	f.built = true
	return f.search(inst)
}
