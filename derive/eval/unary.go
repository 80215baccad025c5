package eval

import (
	"slices"

	"pmtools/lib/pcp"
)

func (s *State) prefix(n *node, x *pcp.Values) *pcp.Values {
	out := s.empty(n)
	out.Insts = append(out.Insts, x.Insts...)
	out.Words = slices.Grow(out.Words, len(x.Insts))[:len(x.Insts)]
	if n.kind == kNegate {
		negate(n.typ, out.Words, x.Words)
		return out
	}
	yes, from := one(n.typ), s.plan.nodes[n.x].typ
	for i, w := range x.Words {
		out.Words[i] = 0
		if !nonzero(from, w) {
			out.Words[i] = yes
		}
	}
	return out
}

func (s *State) rescale(n *node, x *pcp.Values) *pcp.Values {
	out := s.empty(n)
	out.Insts = append(out.Insts, x.Insts...)
	out.Words = append(out.Words, x.Words...)
	n.scaler.Scale(out.Words)
	return out
}

func (s *State) aggregate(n *node, x *pcp.Values) *pcp.Values {
	size := len(x.Insts)
	if x.Err != nil {
		size = 0
	}
	if size == 0 && n.strict {
		return s.empty(n)
	}
	var word uint64
	switch from := s.plan.nodes[n.x].typ; n.kind {
	case kCount:
		word = uint64(size)
	case kSum:
		word = sum(from, x.Words)
	case kAvg:
		word = avg(from, x.Words)
	default:
		if size == 0 {
			return s.empty(n)
		}
		word = extreme(n.kind == kMax, from, x.Words)
	}
	out := s.empty(n)
	out.Insts = append(out.Insts, pcp.NullInst)
	out.Words = append(out.Words, word)
	return out
}

func sum(t pcp.Type, words []uint64) uint64 {
	switch t {
	case pcp.Double:
		var f float64
		for _, w := range words {
			f += f64(w)
		}
		return word64(f)
	case pcp.Float:
		var f float32
		for _, w := range words {
			f += f32(w)
		}
		return word32(f)
	}
	var total [1]uint64
	for _, w := range words {
		total[0] += w
	}
	narrow(total[:], t)
	return total[0]
}

// avg adds up each value's share in single precision, as the reference does: the average of 100,
// 200 ... 900 is 499.99997.
func avg(t pcp.Type, words []uint64) uint64 {
	var total float32
	size := float32(len(words))
	for _, w := range words {
		var f float32
		switch t {
		case pcp.Double:
			f = float32(f64(w))
		case pcp.Float:
			f = f32(w)
		case pcp.Int32, pcp.Int64:
			f = float32(int64(w))
		default:
			f = float32(w)
		}
		total += float32(f / size)
	}
	return word32(total)
}

func extreme(greatest bool, t pcp.Type, words []uint64) uint64 {
	best := words[0]
	for _, w := range words[1:] {
		if greatest && less(t, best, w) || !greatest && less(t, w, best) {
			best = w
		}
	}
	return best
}

func less(t pcp.Type, a, b uint64) bool {
	switch t {
	case pcp.Double:
		return f64(a) < f64(b)
	case pcp.Float:
		return f32(a) < f32(b)
	case pcp.Int32, pcp.Int64:
		return int64(a) < int64(b)
	}
	return a < b
}
