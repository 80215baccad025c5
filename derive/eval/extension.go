package eval

import (
	"cmp"
	"math"
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The functions of the extended language.

// extension completes a node for a function whose operand is an expression in the extended language.
func (p *planner) extension(n *node, e *syntax.CallExpr) {
	switch x := e.N.(type) {
	case *syntax.IntLit:
		n.arg = int(min(x.Value, math.MaxInt32))
		n.word = word64(float64(x.Value))
	case *syntax.FloatLit:
		n.word = word64(x.Value)
	}
	switch e.Fun {
	case "median":
		n.word = word64(0.5)
	case "sum", "avg":
		_, name := syntax.Unparen(e.X).(*syntax.MetricRef)
		n.strict = !name // the original has the sum 0 for a metric without values
	}
	if n.math = mathFunction(e.Fun); n.math != nil {
		n.kind = kMath
	}
}

// rank returns the order of doubles: those that are not numbers come last in both directions.
func rank(a, b float64, greatest bool) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(bit(math.IsNaN(a)), bit(math.IsNaN(b)))
	case greatest:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// compare returns the order of words of type t as rank does.
func compare(t pcp.Type, a, b uint64, greatest bool) int {
	switch {
	case t == pcp.Double:
		return rank(f64(a), f64(b), greatest)
	case t == pcp.Float:
		return rank(float64(f32(a)), float64(f32(b)), greatest)
	case a == b:
		return 0
	case less(t, a, b) != greatest:
		return -1
	}
	return 1
}

// ranked evaluates topn and bottomn: the instances stay in their order.
func (s *State) ranked(n *node, x *pcp.Values) *pcp.Values {
	out := s.empty(n)
	if len(x.Insts) <= n.arg {
		out.Insts, out.Words = append(out.Insts, x.Insts...), append(out.Words, x.Words...)
		return out
	}
	s.order = s.order[:0]
	for i := range x.Insts {
		s.order = append(s.order, i)
	}
	slices.SortFunc(s.order, func(i, j int) int {
		return cmp.Or(compare(n.typ, x.Words[i], x.Words[j], n.kind == kTop), cmp.Compare(x.Insts[i], x.Insts[j]), cmp.Compare(i, j))
	})
	best := s.order[:n.arg]
	slices.Sort(best)
	for _, i := range best {
		take(out, x, i, x.Insts[i])
	}
	return out
}

// doubles returns values as doubles in memory that is used for one node.
func (s *State) doubles(n *node, x *pcp.Values) []uint64 {
	s.wide = slices.Grow(s.wide[:0], len(x.Words))[:len(x.Words)]
	convert(s.wide, x.Words, s.plan.nodes[n.x].typ, pcp.Double)
	return s.wide
}

// one returns a double without an instance.
func (s *State) one(n *node, f float64) *pcp.Values {
	out := s.empty(n)
	out.Insts = append(out.Insts, pcp.NullInst)
	out.Words = append(out.Words, word64(f))
	return out
}

// quantiles evaluates quantile and median.
func (s *State) quantiles(n *node, x *pcp.Values) *pcp.Values {
	if len(x.Insts) == 0 {
		return s.empty(n)
	}
	return s.one(n, quantile(f64(n.word), s.doubles(n, x)))
}

// quantile sorts a list, which is not empty, and returns its quantile. Of values of which some are not
// numbers there is none.
func quantile(share float64, list []uint64) float64 {
	slices.SortFunc(list, func(a, b uint64) int { return rank(f64(a), f64(b), false) })
	last := len(list) - 1
	if math.IsNaN(f64(list[last])) {
		return math.NaN()
	}
	at := share * float64(last)
	below := math.Floor(at)
	low := f64(list[int(below)])
	high := f64(list[min(int(below)+1, last)])
	if part := at - below; part > 0 && low < high {
		low = float64(low*(1-part)) + float64(high*part)
	}
	return low
}

// stddev evaluates the standard deviation.
func (s *State) stddev(n *node, x *pcp.Values) *pcp.Values {
	if len(x.Insts) == 0 {
		return s.empty(n)
	}
	return s.one(n, deviation(s.doubles(n, x)))
}

// math evaluates a function of each value.
func (s *State) math(n *node, x *pcp.Values) *pcp.Values {
	out, from := s.empty(n), s.plan.nodes[n.x].typ
	out.Insts = append(out.Insts, x.Insts...)
	out.Words = slices.Grow(out.Words, len(x.Words))[:len(x.Words)]
	switch {
	case from != n.typ && n.typ < pcp.Float: // abs: of integers only it changes the type
		for i, w := range x.Words {
			if out.Words[i] = w; int64(w) < 0 {
				out.Words[i] = -w
			}
		}
	case n.typ == pcp.Double:
		convert(out.Words, x.Words, from, pcp.Double)
		for i, w := range out.Words {
			out.Words[i] = word64(n.math(f64(w)))
		}
	case n.typ == pcp.Float:
		for i, w := range x.Words {
			out.Words[i] = word32(float32(n.math(float64(f32(w)))))
		}
	default: // integers are rounded already
		copy(out.Words, x.Words)
	}
	return out
}

// mathFunction returns what a function does to one number, nil for one that is none of these.
func mathFunction(fun syntax.Token) func(float64) float64 {
	switch fun {
	case "abs":
		return math.Abs
	case "ceil":
		return math.Ceil
	case "exp":
		return math.Exp
	case "floor":
		return math.Floor
	case "ln":
		return math.Log
	case "round":
		return math.Round
	case "sqrt":
		return math.Sqrt
	}
	return nil
}
