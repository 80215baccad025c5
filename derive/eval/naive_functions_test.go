package eval_test

import (
	"math"
	"slices"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
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
	case "defined":
		if s.info.Defined[e] {
			return naiveColumn{vals: []naiveValue{{pcp.NullInst, uint32(1)}}}
		}
		return naiveColumn{vals: []naiveValue{{pcp.NullInst, uint32(0)}}}
	case "anon":
		return naiveColumn{}
	case "delta", "rate":
		return s.change(e)
	}
	x := s.eval(e.X)
	if e.By != nil {
		return s.groups(e, x)
	}
	return s.reduce(e, x)
}

// groups evaluates a function of the instances of each group, in the order in which groups first appear.
func (s *naive) groups(e *syntax.CallExpr, x naiveColumn) naiveColumn {
	out := naiveColumn{err: x.err}
	groups := make([]int32, 1)
	of := make(map[int32]naiveColumn)
	var order []int32
	for _, v := range x.vals {
		if _, err := s.in.Groups.Groups(s.info.Types[e].InDom, 0, []int32{v.inst}, groups); err != nil {
			return naiveColumn{err: pmerr.Of(err)}
		}
		if _, known := of[groups[0]]; !known {
			order = append(order, groups[0])
		}
		of[groups[0]] = naiveColumn{vals: append(of[groups[0]].vals, v)}
	}
	for _, id := range order {
		out.vals = append(out.vals, naiveValue{id, s.reduce(e, of[id]).vals[0].v})
	}
	return out
}

// reduce evaluates a function of a column.
func (s *naive) reduce(e *syntax.CallExpr, x naiveColumn) naiveColumn {
	t := s.info.Types[e.X].Type
	if e.Fun == "count" {
		n := uint32(len(x.vals))
		return naiveColumn{vals: []naiveValue{{pcp.NullInst, n}}}
	}
	if x.err != 0 || e.Fun == "instant" {
		return x
	}
	if e.Fun.IsOverTime() {
		return s.over(e, x)
	}
	if e.Fun.IsExtension() {
		return s.extension(e, x, s.info.Types[e].Type)
	}
	one := func(v any) naiveColumn { return naiveColumn{vals: []naiveValue{{pcp.NullInst, v}}} }
	_, name := plain(e.X).(*syntax.MetricRef)
	if len(x.vals) == 0 && name {
		switch e.Fun {
		case "sum":
			return one(goNumber(t, 0))
		case "avg":
			return one(float32(0))
		}
	}
	if len(x.vals) == 0 {
		return naiveColumn{}
	}
	if e.Fun == "scalar" {
		return one(x.vals[0].v)
	}
	acc, avg := x.vals[0].v, float32(0)
	if e.Fun == "sum" {
		acc = apply(syntax.PLUS, goNumber(t, 0), acc)
	}
	for i, v := range x.vals {
		avg += goConvertFloat(v.v) / float32(len(x.vals))
		if i == 0 {
			continue
		}
		switch {
		case e.Fun == "sum":
			acc = apply(syntax.PLUS, acc, v.v)
		case e.Fun == "min" && truth(apply(syntax.LT, v.v, acc)), e.Fun == "max" && truth(apply(syntax.GT, v.v, acc)):
			acc = v.v
		}
	}
	if e.Fun == "avg" {
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

// plain returns an expression without parentheses.
func plain(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// extension evaluates a function of the extended language.
func (s *naive) extension(e *syntax.CallExpr, x naiveColumn, t pcp.Type) naiveColumn {
	n := 0.5
	switch lit := e.N.(type) {
	case *syntax.IntLit:
		n = float64(lit.Value)
	case *syntax.FloatLit:
		n = lit.Value
	}
	number := func(v naiveValue) float64 { return goConvert(v.v, pcp.Double).(float64) }
	if len(x.vals) == 0 {
		return x
	}
	var all []float64
	nan, total := false, 0.0
	for _, v := range x.vals {
		f := number(v)
		nan = nan || f != f
		total += f
		all = append(all, f)
	}
	one := func(f float64) naiveColumn { return naiveColumn{vals: []naiveValue{{pcp.NullInst, f}}} }
	switch e.Fun {
	case "topn", "bottomn":
		var out naiveColumn
		for _, v := range x.vals {
			better := 0 // instances that come before it
			for _, w := range x.vals {
				if w.inst != v.inst && naiveBefore(w, v, e.Fun == "topn") {
					better++
				}
			}
			if float64(better) < n {
				out.vals = append(out.vals, v)
			}
		}
		return out
	case "median", "quantile":
		if nan {
			return one(math.NaN())
		}
		slices.Sort(all)
		at := n * float64(len(all)-1)
		low, high := all[int(at)], all[int(math.Ceil(at))]
		if low == high || at == math.Floor(at) {
			return one(low)
		}
		share := at - math.Floor(at)
		return one(float64(low*(1-share)) + float64(high*share))
	case "stddev":
		mean, squares := total/float64(len(all)), 0.0
		for _, f := range all {
			squares += float64((f - mean) * (f - mean))
		}
		return one(math.Sqrt(squares / float64(len(all))))
	}
	out := naiveColumn{}
	for _, v := range x.vals {
		out.vals = append(out.vals, naiveValue{v.inst, naiveMath(e.Fun, v.v, t)})
	}
	return out
}

// naiveBefore reports whether a value ranks before another. Values that are not numbers come last.
func naiveBefore(v, w naiveValue, greatest bool) bool {
	nan := func(v any) bool { return v != v }
	switch {
	case nan(v.v) != nan(w.v):
		return nan(w.v)
	case nan(v.v), truth(apply(syntax.EQ, v.v, w.v)):
		return v.inst < w.inst
	}
	return truth(apply(syntax.GT, v.v, w.v)) == greatest
}

func naiveMath(fun syntax.Token, v any, t pcp.Type) any {
	switch fun {
	case "exp":
		return math.Exp(goConvert(v, pcp.Double).(float64))
	case "ln":
		return math.Log(goConvert(v, pcp.Double).(float64))
	case "sqrt":
		return math.Sqrt(goConvert(v, pcp.Double).(float64))
	}
	f := map[syntax.Token]func(float64) float64{"abs": math.Abs, "ceil": math.Ceil, "floor": math.Floor, "round": math.Round}[fun]
	switch x := v.(type) {
	case float64:
		return f(x)
	case float32:
		return float32(f(float64(x)))
	case int32:
		if fun == "abs" {
			return uint32(max(int64(x), -int64(x)))
		}
	case int64:
		if fun == "abs" && x < 0 {
			return -uint64(x)
		} else if fun == "abs" {
			return uint64(x)
		}
	}
	return v
}

func (s *naive) change(e *syntax.CallExpr) naiveColumn {
	operand := plain(e.X)
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
		if e.Fun == "delta" {
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
