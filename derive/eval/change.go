package eval

import (
	"slices"

	"pmtools/lib/pcp"
)

// A history is the sample before: the values of the operand of delta() or rate() at the last
// evaluation that reached it.
type history struct {
	set   bool
	time  pcp.Timestamp
	epoch int
	err   error
	insts []int32
	words []uint64
}

func (h *history) save(in *Input, x *pcp.Values) {
	h.set, h.time, h.epoch, h.err = true, in.Time, in.Epoch, x.Err
	h.insts = append(h.insts[:0], x.Insts...)
	h.words = append(h.words[:0], x.Words...)
}

// change evaluates delta and rate: for each instance that was there before too, the difference. An
// error of an operand that is a metric by itself takes the place of its sample, and so comes once
// more at the next evaluation; an error of an expression leaves the sample before it in place
// (derived.md D8.7.5).
func (s *State) change(n *node) *pcp.Values {
	x := s.eval(n.x)
	h := &s.hists[n.arg]
	if x.Err != nil {
		if n.change.bare {
			h.save(s.in, x)
		}
		return s.fail(n, x.Err)
	}
	out := s.empty(n)
	switch {
	case !h.set, n.kind == kRate && h.epoch != s.in.Epoch:
	case h.err != nil:
		out.Err = h.err
	default:
		now, last := x.Words, h.words
		if slices.Equal(x.Insts, h.insts) {
			out.Insts = append(out.Insts, x.Insts...)
		} else {
			now, last = s.join(out, x, h.insts, h.words)
		}
		out.Words = slices.Grow(out.Words, len(now))[:len(now)]
		from := s.plan.nodes[n.x].typ
		if n.kind == kDelta {
			delta(from, out.Words, now, last)
		} else {
			s.rate(n, from, out, now, last, seconds(s.in.Time, h.time))
		}
	}
	h.save(s.in, x)
	return out
}

// delta subtracts the sample before from values of type t. Unsigned values have signed differences:
// 32-bit ones as 64-bit integers, 64-bit ones as doubles.
func delta(t pcp.Type, dst, now, last []uint64) {
	switch t {
	case pcp.Double:
		combineDouble(opSub, dst, now, last)
	case pcp.Float:
		combineFloat(opSub, dst, now, last)
	case pcp.Uint64:
		for i := range dst {
			dst[i] = word64(float64(now[i]) - float64(last[i]))
		}
	default:
		combineInt(opSub, dst, now, last)
		if t == pcp.Int32 {
			narrow(dst, t)
		}
	}
}

// rate fills out.Words with changes for each second. Where a counter has gone down the instance is
// left out.
func (s *State) rate(n *node, t pcp.Type, out *pcp.Values, now, last []uint64, elapsed float64) {
	k := 0
	if n.change.counter && (t == pcp.Uint64 || t == pcp.Uint32) { // most counters
		for i, inst := range out.Insts {
			if now[i] >= last[i] {
				out.Insts[k] = inst
				out.Words[k] = word64(float64(now[i]-last[i]) / elapsed * n.change.factor)
				k++
			}
		}
		out.Insts, out.Words = out.Insts[:k], out.Words[:k]
		return
	}
	for i, inst := range out.Insts {
		if n.change.counter && less(t, now[i], last[i]) {
			continue
		}
		out.Insts[k] = inst
		out.Words[k] = word64(difference(t, now[i], last[i]) / elapsed * n.change.factor)
		k++
	}
	out.Insts, out.Words = out.Insts[:k], out.Words[:k]
}

// difference returns a-b. Signed integers wrap around; unsigned ones have a signed difference.
func difference(t pcp.Type, a, b uint64) float64 {
	switch t {
	case pcp.Double:
		return f64(a) - f64(b)
	case pcp.Float:
		return float64(f32(a) - f32(b))
	case pcp.Int32:
		return float64(int32(a - b))
	case pcp.Uint64:
		if a < b {
			return -float64(b - a)
		}
		return float64(a - b)
	}
	return float64(int64(a - b))
}

// seconds returns t-u, rounded once.
func seconds(t, u pcp.Timestamp) float64 {
	const exact = 1 << 23 // seconds that a double holds to the nanosecond
	sec, nsec := t.Sec-u.Sec, int64(t.Nsec)-int64(u.Nsec)
	if -exact < sec && sec < exact {
		return float64(sec*1e9+nsec) / 1e9
	}
	return float64(sec) + float64(nsec)/1e9
}
