package eval

import (
	"math"
	"slices"
	"time"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The functions over time. A State keeps the samples that they look back at: whole columns, so that an
// instance which is gone takes no memory once its samples are too old.

// MaxPast is how many values a State keeps for functions over time.
const MaxPast = 4 << 20

// A span is how a function looks back.
type span struct {
	fun   syntax.Token
	nanos int64
}

// A window is the samples that a function over time may need, in a ring.
type window struct {
	ring  []history
	head  int // the oldest sample
	size  int
	words int // values in all samples
}

// over completes a node for a function over time.
func (p *planner) over(n *node, e *syntax.CallExpr) {
	n.arg, p.plan.spans = len(p.plan.spans), append(p.plan.spans, span{e.Fun, e.Over.Nanoseconds})
}

// Interrupt forgets the samples that functions over time look back at: recording was interrupted.
func (s *State) Interrupt() {
	for i := range s.windows {
		s.windows[i].clear()
	}
	s.full = false
}

// LooksBack reports whether the expression has functions over time.
func (s *State) LooksBack() bool { return len(s.windows) > 0 }

// Full reports whether functions over time would keep more than MaxPast values. They have the error
// pmerr.TooBig then.
func (s *State) Full() bool { return s.full }

func (w *window) at(i int) *history { return &w.ring[(w.head+i)%len(w.ring)] }

func (w *window) drop() {
	w.words -= len(w.at(0).words)
	w.head, w.size = (w.head+1)%len(w.ring), w.size-1
}

func (w *window) clear() { *w = window{} }

// next returns the memory for another sample.
func (w *window) next() *history {
	if w.size == len(w.ring) {
		ring := make([]history, max(4, 2*w.size))
		for i := range w.size {
			ring[i] = *w.at(i)
		}
		w.ring, w.head = ring, 0
	}
	w.size++
	return w.at(w.size - 1)
}

// rewind clears a window if the time has gone back, or jumped.
func (w *window) rewind(in *Input) {
	if w.size == 0 {
		return
	}
	if last := w.at(w.size - 1); in.Time.Compare(last.time) < 0 || in.Epoch != last.epoch {
		w.clear()
	}
}

// age drops the samples that a function does not need at a time: those that are too old, but shift needs
// the last one of them.
func (w *window) age(fun syntax.Token, now pcp.Timestamp, nanos int64) {
	limit := now.Add(-time.Duration(nanos))
	for w.size > 0 {
		if fun == "shift" {
			if w.size < 2 || w.at(1).time.Compare(limit) > 0 {
				return
			}
		} else if w.at(0).time.Compare(limit) > 0 {
			return
		}
		w.drop()
	}
}

// over evaluates a function over time.
func (s *State) over(n *node, x *pcp.Values) *pcp.Values {
	w, by := &s.windows[n.arg], s.plan.spans[n.arg]
	w.rewind(s.in)
	if by.fun == "smooth" {
		return s.smooth(n, w, x, by.nanos)
	}
	if by.fun != "shift" {
		w.age(by.fun, s.in.Time, by.nanos)
	}
	past := len(x.Words)
	for i := range s.windows {
		past += s.windows[i].words
	}
	if s.full = s.full || past > MaxPast; s.full {
		w.clear()
		return s.fail(n, pmerr.TooBig)
	}
	w.next().save(s.in, x)
	w.words += len(x.Words)
	if by.fun != "shift" {
		return s.each(n, w, x)
	}
	w.age(by.fun, s.in.Time, by.nanos)
	out := s.empty(n)
	if then := w.at(0); w.size > 0 && then.time.Compare(s.in.Time.Add(-time.Duration(by.nanos))) <= 0 {
		out.Insts, out.Words = append(out.Insts, then.insts...), append(out.Words, then.words...)
	}
	return out
}

// each makes a value of those that each instance of x has in a window.
func (s *State) each(n *node, w *window, x *pcp.Values) *pcp.Values {
	from := s.plan.nodes[n.x].typ
	s.gather(w, x)
	out := s.empty(n)
	out.Insts = append(out.Insts, x.Insts...)
	begin := 0
	for _, end := range s.order {
		list := s.wide[begin:end]
		begin = end
		var word uint64
		switch fun := s.plan.spans[n.arg].fun; fun {
		case "max_over", "min_over":
			word = extreme(fun == "max_over", from, list)
		case "avg_over":
			convert(list, list, from, pcp.Double)
			word = word64(f64(sum(pcp.Double, list)) / float64(len(list)))
		default:
			convert(list, list, from, pcp.Double)
			word = word64(quantile(f64(n.word), list))
		}
		out.Words = append(out.Words, word)
	}
	return out
}

// gather puts the values of each instance of x in a window into wide, those of the first instance first, and of each the
// oldest first; order has where those of an instance end. Memory and time depend on the values that there are, not on the
// product of instances and samples. Each instance of x has a value, since x is the last sample of the window.
func (s *State) gather(w *window, x *pcp.Values) {
	f := &s.finders[0]
	f.reset(x.Insts)
	s.order = slices.Grow(s.order[:0], len(x.Insts))[:len(x.Insts)]
	clear(s.order)
	s.wide2 = s.wide2[:0] // for each value in the window, the place of its instance in x, or -1
	for k := range w.size {
		f.next = 0
		for _, inst := range w.at(k).insts {
			i := f.find(inst)
			if s.wide2 = append(s.wide2, uint64(i)); i >= 0 {
				s.order[i]++
			}
		}
	}
	size := 0
	for i, n := range s.order {
		s.order[i] = size
		size += n
	}
	s.wide = slices.Grow(s.wide[:0], size)[:size]
	places := s.wide2
	for k := range w.size {
		past := w.at(k)
		for j := range past.insts {
			if i := int(places[j]); i >= 0 {
				s.wide[s.order[i]] = past.words[j]
				s.order[i]++
			}
		}
		places = places[len(past.insts):]
	}
}

// smooth moves towards the values, by a share of the difference that grows with the time since the sample
// before. The share has no exponential function, whose last digits depend on the machine. An instance
// that was not in the sample before begins with its value, and so does one whose smoothed value was not a
// finite number.
func (s *State) smooth(n *node, w *window, x *pcp.Values, nanos int64) *pcp.Values {
	out := s.empty(n)
	out.Insts = append(out.Insts, x.Insts...)
	out.Words = slices.Grow(out.Words, len(x.Words))[:len(x.Words)]
	convert(out.Words, x.Words, s.plan.nodes[n.x].typ, pcp.Double)
	if w.size == 0 {
		w.next().save(s.in, out)
		return out
	}
	before := w.at(0)
	elapsed := seconds(s.in.Time, before.time)
	part := elapsed / (float64(nanos)/1e9 + elapsed)
	f := &s.finders[0]
	f.reset(before.insts)
	for i, inst := range out.Insts {
		if j := f.find(inst); j >= 0 {
			if y := f64(before.words[j]); !math.IsNaN(y - y) {
				out.Words[i] = word64(y + float64((f64(out.Words[i])-y)*part))
			}
		}
	}
	before.save(s.in, out)
	return out
}
