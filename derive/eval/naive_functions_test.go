package eval_test

import (
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

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
