package eval_test

import (
	"math"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The naive evaluator is a second reading of the rules. It walks the tree, handles one value at a time as a Go number of
// the value's own type, and remembers earlier samples by node. It is slow and meant to be obviously right.

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
	chosen map[syntax.Expr]int32 // instances that names were resolved to
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
		c := naiveColumn{err: v.Err}
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
	x := goNumber(t.Type, v.Word())
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
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH:
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

func (s *naive) ternary(e *syntax.TernaryExpr) naiveColumn {
	switch s.info.Choices[e] {
	case check.Left:
		return s.eval(e.X)
	case check.Right:
		return s.eval(e.Y)
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
	if t := s.info.Types[e].Type; !t.Arithmetic() && t != pcp.String {
		return naiveColumn{err: pmerr.Type}
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
	return out
}

func (s *naive) instance(e *syntax.InstExpr) naiveColumn {
	x, t := s.eval(e.X), s.info.Types[e.X]
	if x.err != 0 || len(x.vals) == 0 || t.Singular() {
		return naiveColumn{err: x.err}
	}
	inst, ok := s.chosen[e]
	if !ok {
		var err error
		if inst, err = s.in.Instances.LookupInst(t.InDom, e.Name); err != nil {
			return naiveColumn{}
		}
		s.chosen[e] = inst
	}
	if v := x.find(inst); v != nil {
		return naiveColumn{vals: []naiveValue{{inst, v}}}
	}
	return naiveColumn{}
}

func (s *naive) match(e *syntax.MatchInstExpr) naiveColumn {
	x, t := s.eval(e.X), s.info.Types[e.X]
	out := naiveColumn{err: x.err}
	if t.Singular() {
		return out
	}
	for _, v := range x.vals {
		name, err := s.in.Instances.InstName(t.InDom, v.inst)
		if err != nil {
			continue
		}
		if s.info.Patterns[e](strings.SplitN(name, " ", 2)[0]) == (e.NotPos < 0) {
			out.vals = append(out.vals, v)
		}
	}
	return out
}

func (s *naive) rescale(e *syntax.RescaleExpr) naiveColumn {
	x, t := s.eval(e.X), s.info.Types[e.X]
	out := naiveColumn{err: x.err}
	for _, v := range x.vals {
		w, err := goWord(t.Type, v.v).ConvScale(t.Units, s.info.Rescale[e])
		if err == nil {
			out.vals = append(out.vals, naiveValue{v.inst, goNumber(t.Type, w.Word())})
		}
	}
	return out
}

// goWord turns a Go number back into a value.
func goWord(t pcp.Type, v any) pcp.Value {
	switch v := v.(type) {
	case int32:
		return pcp.WordValue(t, uint64(int64(v)))
	case uint32:
		return pcp.WordValue(t, uint64(v))
	case int64:
		return pcp.WordValue(t, uint64(v))
	case uint64:
		return pcp.WordValue(t, v)
	case float32:
		return pcp.FloatValue(v)
	}
	return pcp.DoubleValue(v.(float64))
}

func (s *naive) call(e *syntax.CallExpr) naiveColumn {
	switch e.Fun {
	case syntax.DEFINED:
		if s.info.Defined[e] {
			return naiveColumn{vals: []naiveValue{{pcp.NullInst, uint32(1)}}}
		}
		return naiveColumn{vals: []naiveValue{{pcp.NullInst, uint32(0)}}}
	case syntax.ANON:
		return naiveColumn{}
	case syntax.DELTA, syntax.RATE:
		return s.change(e)
	}
	x, t := s.eval(e.X), s.info.Types[e.X].Type
	if e.Fun == syntax.COUNT {
		n := uint32(len(x.vals))
		return naiveColumn{vals: []naiveValue{{pcp.NullInst, n}}}
	}
	if x.err != 0 || e.Fun == syntax.INSTANT {
		return x
	}
	one := func(v any) naiveColumn { return naiveColumn{vals: []naiveValue{{pcp.NullInst, v}}} }
	if len(x.vals) == 0 {
		switch e.Fun {
		case syntax.SUM:
			return one(goNumber(t, 0))
		case syntax.AVG:
			return one(float32(0))
		}
		return naiveColumn{}
	}
	if e.Fun == syntax.SCALAR {
		return one(x.vals[0].v)
	}
	acc, avg := x.vals[0].v, float32(0)
	if e.Fun == syntax.SUM {
		acc = apply(syntax.PLUS, goNumber(t, 0), acc)
	}
	for i, v := range x.vals {
		avg += goConvertFloat(v.v) / float32(len(x.vals))
		if i == 0 {
			continue
		}
		switch {
		case e.Fun == syntax.SUM:
			acc = apply(syntax.PLUS, acc, v.v)
		case e.Fun == syntax.MIN && truth(apply(syntax.LT, v.v, acc)), e.Fun == syntax.MAX && truth(apply(syntax.GT, v.v, acc)):
			acc = v.v
		}
	}
	if e.Fun == syntax.AVG {
		return one(avg)
	}
	return one(acc)
}

// goConvertFloat converts a number to single precision.
func goConvertFloat(v any) float32 {
	if d, ok := v.(float64); ok {
		return float32(d)
	}
	return goConvert(v, pcp.Float).(float32)
}

func (s *naive) change(e *syntax.CallExpr) naiveColumn {
	operand := e.X
	for {
		p, ok := operand.(*syntax.ParenExpr)
		if !ok {
			break
		}
		operand = p.X
	}
	x := s.eval(operand)
	_, bare := operand.(*syntax.MetricRef)
	before := s.last[e]
	if x.err != 0 {
		if bare {
			s.last[e] = &naiveSample{x, s.in.Time}
		}
		return x
	}
	s.last[e] = &naiveSample{x, s.in.Time}
	switch {
	case before == nil:
		return naiveColumn{}
	case before.col.err != 0:
		return naiveColumn{err: before.col.err}
	}
	t := s.info.Types[operand]
	var out naiveColumn
	for _, v := range x.vals {
		w := before.col.find(v.inst)
		if w == nil {
			continue
		}
		if e.Fun == syntax.DELTA {
			out.vals = append(out.vals, naiveValue{v.inst, naiveDelta(v.v, w)})
			continue
		}
		if t.Sem == pcp.Counter && t.Type != pcp.Int32 && truth(apply(syntax.LT, v.v, w)) {
			continue
		}
		factor := 1.0
		if t.Units.DimTime == 1 {
			// Nanoseconds to hours.
			factor = [...]float64{1.0 / 1000 / 1000 / 1000, 1.0 / 1000 / 1000, 1.0 / 1000, 1, 60, 3600}[t.Units.ScaleTime]
		}
		elapsed := float64((s.in.Time.Sec-before.time.Sec)*1e9+int64(s.in.Time.Nsec-before.time.Nsec)) / 1e9
		out.vals = append(out.vals, naiveValue{v.inst, naiveDifference(v.v, w) / elapsed * factor})
	}
	return out
}

// naiveDelta is the difference in the type that delta has.
func naiveDelta(a, b any) any {
	switch a := a.(type) {
	case uint32:
		return int64(a) - int64(b.(uint32))
	case uint64:
		return float64(a) - float64(b.(uint64))
	}
	return apply(syntax.MINUS, a, b)
}

// naiveDifference is the difference that rate divides by the time.
func naiveDifference(a, b any) float64 {
	switch a := a.(type) {
	case uint32:
		return float64(int64(a) - int64(b.(uint32)))
	case uint64:
		if b := b.(uint64); b > a {
			return -float64(b - a)
		}
		return float64(a - b.(uint64))
	}
	return goConvert(apply(syntax.MINUS, a, b), pcp.Double).(float64)
}
