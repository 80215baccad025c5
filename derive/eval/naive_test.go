package eval_test

import (
	"math"
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The naive evaluator is a second reading of the rules. It walks the tree, handles one value at a
// time as a Go number of the value's own type, and remembers earlier samples by node. It is slow
// and meant to be obviously right.

// A naiveValue is a value of an instance: one of the six Go number types, or a string.
type naiveValue struct {
	inst int32
	v    any
}

// A naiveColumn is what a node evaluates to.
type naiveColumn struct {
	err  pmerr.Code
	vals []naiveValue
}

// find returns the value of an instance, or nil.
func (c naiveColumn) find(inst int32) any {
	for _, x := range c.vals {
		if x.inst == inst {
			return x.v
		}
	}
	return nil
}

// naiveSample is what delta and rate remember.
type naiveSample struct {
	col  naiveColumn
	time pcp.Timestamp
}

type naive struct {
	info   *check.Info
	in     *eval.Input
	last   map[syntax.Expr]*naiveSample
	past   map[syntax.Expr][]naiveSample // of functions over time
	chosen map[syntax.Expr]int32         // instances that names were resolved to
}

func newNaive(info *check.Info) *naive {
	return &naive{info: info, last: make(map[syntax.Expr]*naiveSample), chosen: make(map[syntax.Expr]int32)}
}

// goValue turns value i of a column into a Go value.
func goValue(v *pcp.Values, i int) any {
	if !v.Type.Arithmetic() {
		return string(v.Blobs[i])
	}
	return goNumber(v.Type, v.Words[i])
}

// goNumber turns a word into a Go number of its type.
func goNumber(t pcp.Type, w uint64) any {
	switch t {
	case pcp.Int32:
		return int32(w)
	case pcp.Uint32:
		return uint32(w)
	case pcp.Int64:
		return int64(w)
	case pcp.Uint64:
		return w
	case pcp.Float:
		return math.Float32frombits(uint32(w))
	}
	return math.Float64frombits(w)
}

// goConvert converts a number as C does.
func goConvert(v any, t pcp.Type) any {
	switch x := v.(type) {
	case int32:
		return [...]any{x, uint32(x), int64(x), uint64(x), float32(x), float64(x)}[t]
	case uint32:
		return [...]any{int32(x), x, int64(x), uint64(x), float32(x), float64(x)}[t]
	case int64:
		return [...]any{int32(x), uint32(x), x, uint64(x), float32(x), float64(x)}[t]
	case uint64:
		return [...]any{int32(x), uint32(x), int64(x), x, float32(x), float64(x)}[t]
	case float32:
		if t == pcp.Double {
			return float64(x)
		}
	}
	return v
}

// number is the set of types of values.
type number interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// apply2 computes a binary operator on numbers of one type.
func apply2[T number](op syntax.Token, a, b T) any {
	var zero T
	u := func(b bool) any {
		if b {
			return uint32(1)
		}
		return uint32(0)
	}
	switch op {
	case syntax.PLUS:
		return a + b
	case syntax.MINUS:
		return a - b
	case syntax.STAR:
		return a * b
	case syntax.SLASH:
		if a == zero {
			return 0.0
		}
		return a / b
	case syntax.LT:
		return u(a < b)
	case syntax.LEQ:
		return u(a <= b)
	case syntax.EQ:
		return u(a == b)
	case syntax.GEQ:
		return u(a >= b)
	case syntax.GT:
		return u(a > b)
	case syntax.NEQ:
		return u(a != b)
	case syntax.AND:
		return u(a != zero && b != zero)
	case "min", "clamp":
		if b < a {
			return b
		}
		return a
	case "max":
		if b > a {
			return b
		}
		return a
	case "pow":
		return math.Pow(float64(a), float64(b))
	}
	return u(a != zero || b != zero)
}

// apply computes a binary operator.
func apply(op syntax.Token, a, b any) any {
	switch a := a.(type) {
	case int32:
		return apply2(op, a, b.(int32))
	case uint32:
		return apply2(op, a, b.(uint32))
	case int64:
		return apply2(op, a, b.(int64))
	case uint64:
		return apply2(op, a, b.(uint64))
	case float32:
		return apply2(op, a, b.(float32))
	}
	return apply2(op, a.(float64), b.(float64))
}

// truth reports whether a number is not 0.
func truth(v any) bool { return goConvert(v, pcp.Double) != 0.0 }

// eval evaluates a tree.
func (s *naive) eval(e syntax.Expr) naiveColumn {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return s.eval(e.X)
	case *syntax.MetricRef:
		return s.metric(e)
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
		return s.constant(e)
	case *syntax.UnaryExpr:
		return s.prefix(e)
	case *syntax.BinaryExpr:
		return s.binary(e)
	case *syntax.TernaryExpr:
		return s.ternary(e)
	case *syntax.InstExpr:
		return s.instance(e)
	case *syntax.MatchInstExpr:
		return s.match(e)
	case *syntax.RescaleExpr:
		return s.rescale(e)
	case *syntax.CallExpr:
		return s.call(e)
	}
	return naiveColumn{}
}

func (s *naive) metric(e *syntax.MetricRef) naiveColumn {
	d, ok := s.info.Metrics[e]
	if !ok {
		return naiveColumn{}
	}
	for i, id := range s.info.Operands {
		if id != d.ID {
			continue
		}
		v := s.in.Columns[i]
		c := naiveColumn{err: pmerr.Of(v.Err)}
		for k, inst := range v.Insts {
			if v.Odd == nil || !v.Odd[k].Bad {
				c.vals = append(c.vals, naiveValue{inst, goValue(v, k)})
			}
		}
		return c
	}
	return naiveColumn{}
}

func (s *naive) constant(e syntax.Expr) naiveColumn {
	v, t := s.info.Consts[e], s.info.Types[e]
	if !v.IsSet() {
		return naiveColumn{}
	}
	x := any("")
	if t.Type.Arithmetic() {
		x = goNumber(t.Type, v.Word())
	}
	if t.Singular() {
		return naiveColumn{vals: []naiveValue{{pcp.NullInst, x}}}
	}
	list, err := s.in.Instances.Instances(t.InDom)
	c := naiveColumn{err: pmerr.Of(err)}
	for _, inst := range list {
		if s.in.Profile.Selects(t.InDom, inst.ID) {
			c.vals = append(c.vals, naiveValue{inst.ID, x})
		}
	}
	return c
}

func (s *naive) prefix(e *syntax.UnaryExpr) naiveColumn {
	x, t := s.eval(e.X), s.info.Types[e].Type
	for i, v := range x.vals {
		if e.Op == syntax.NOT {
			n := int32(1)
			if truth(v.v) {
				n = 0
			}
			x.vals[i].v = goConvert(n, t)
			continue
		}
		switch v := v.v.(type) {
		case int32:
			x.vals[i].v = -v
		case uint32:
			x.vals[i].v = -int32(v)
		case int64:
			x.vals[i].v = -v
		case uint64:
			x.vals[i].v = -int64(v)
		case float32:
			x.vals[i].v = -v
		case float64:
			x.vals[i].v = -v
		}
	}
	return x
}

func (s *naive) binary(e *syntax.BinaryExpr) naiveColumn {
	x := s.eval(e.X)
	if x.err != 0 {
		return x
	}
	y := s.eval(e.Y)
	if y.err != 0 {
		return y
	}
	tx, ty := s.info.Types[e.X], s.info.Types[e.Y]
	t := max(tx.Type, ty.Type)
	switch e.Op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, "min", "max", "clamp", "pow":
		t = s.info.Types[e].Type
	}
	sc, scaled := s.info.Scales[e]
	pair := func(a, b any) any {
		a, b = goConvert(a, t), goConvert(b, t)
		if scaled {
			a, b = a.(float64)/sc.LeftDiv*sc.LeftMul, b.(float64)/sc.RightDiv*sc.RightMul
		}
		return apply(e.Op, a, b)
	}
	var out naiveColumn
	switch {
	case len(x.vals) == 0 || len(y.vals) == 0:
	case ty.Singular():
		for _, v := range x.vals {
			out.vals = append(out.vals, naiveValue{v.inst, pair(v.v, y.vals[0].v)})
		}
	case tx.Singular():
		for _, v := range y.vals {
			out.vals = append(out.vals, naiveValue{v.inst, pair(x.vals[0].v, v.v)})
		}
	default:
		for _, v := range x.vals {
			if w := y.find(v.inst); w != nil {
				out.vals = append(out.vals, naiveValue{v.inst, pair(v.v, w)})
			}
		}
	}
	return out
}

func (s *naive) selected(e *syntax.TernaryExpr, choice check.Choice) naiveColumn {
	g := naiveColumn{vals: make([]naiveValue, 1)}
	if _, ok := s.info.Types[e.Cond]; ok {
		g = s.eval(e.Cond)
	}
	if g.err != 0 {
		return g
	}
	arm := e.X
	if choice == check.Right {
		arm = e.Y
	}
	x := s.eval(arm)
	switch t := s.info.Types[e].Type; {
	case x.err != 0:
		return x
	case len(g.vals) == 0 || len(x.vals) == 0:
		return naiveColumn{}
	case !t.Arithmetic() && t != pcp.String:
		return naiveColumn{err: pmerr.Type}
	}
	return x
}

func (s *naive) ternary(e *syntax.TernaryExpr) naiveColumn {
	if choice := s.info.Choices[e]; choice != check.NotStatic {
		return s.selected(e, choice)
	}
	g := s.eval(e.Cond)
	if g.err != 0 {
		return g
	}
	x := s.eval(e.X)
	if x.err != 0 {
		return x
	}
	y := s.eval(e.Y)
	if y.err != 0 {
		return y
	}
	nx, ny := s.info.Novalue(e.X), s.info.Novalue(e.Y)
	if len(g.vals) == 0 || !nx && len(x.vals) == 0 || !ny && len(y.vals) == 0 {
		return naiveColumn{}
	}
	sx, sy := nx || s.info.Types[e.X].Singular(), ny || s.info.Types[e.Y].Singular()
	var insts []int32
	add := func(c naiveColumn) {
		for _, v := range c.vals {
			if !slices.Contains(insts, v.inst) {
				insts = append(insts, v.inst)
			}
		}
	}
	single := s.info.Types[e.Cond].Singular()
	first, second := sx, sy
	if single && !sx && !sy && !truth(g.vals[0].v) { // the order is that of the arm that is used
		first, second = true, sy
	}
	if !first {
		add(x)
	}
	if !second {
		add(y)
	}
	if sx && sy {
		insts = []int32{pcp.NullInst}
	}
	var out naiveColumn
	for _, inst := range insts {
		test := g.find(inst)
		if single {
			test = g.vals[0].v
		}
		if test == nil {
			continue
		}
		arm, novalue, singular := y, ny, sy
		if truth(test) {
			arm, novalue, singular = x, nx, sx
		}
		switch {
		case novalue:
		case singular:
			out.vals = append(out.vals, naiveValue{inst, arm.vals[0].v})
		default:
			if v := arm.find(inst); v != nil {
				out.vals = append(out.vals, naiveValue{inst, v})
			}
		}
	}
	if t := s.info.Types[e].Type; len(out.vals) > 0 && !t.Arithmetic() && t != pcp.String {
		return naiveColumn{err: pmerr.Type}
	}
	return out
}
