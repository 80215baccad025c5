package archive

import (
	"cmp"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// How interpolation works (archive.md A13). For each instance of each requested metric a slot holds
// two adjacent samples, one not later than the current time and one not earlier. As long as the
// time stays between them nothing is read. When it moves outside, the place in the archive is found
// through the temporal index and the lengths of the records, and from there the records are
// searched in both directions for all slots at once. Only the requested value sets are decoded.

func (c *Cursor) startInterp(delta time.Duration) {
	in := c.interp
	if in == nil {
		in = &interp{
			finder: finder{walker: &c.walk, gap: c.walk.set.opt.MarkGap},
			wrap:   c.walk.set.opt.CounterWrap,
			series: make(map[pcp.ID]*series),
		}
		c.interp = in
	}
	if (delta < 0) != (in.delta < 0) {
		clear(in.series) // some marks exist in one direction only
	}
	in.delta = delta
	for _, s := range in.series {
		s.stepped = false
		if !s.desc.Type.Arithmetic() {
			s.forget() // see value
		}
	}
}

func (c *Cursor) interpolate(ids []pcp.ID, p *pcp.Profile, dst *pcp.Result) error {
	in, at := c.interp, c.origin
	if at.Nsec < 0 || at.Nsec > 1e9 {
		at = at.Add(0)
	}
	t := in.rel(at)
	// The position moves even if the fetch fails: the next one is for the time after this.
	c.origin = step(at, in.delta)
	if t < -1e6 {
		return pmerr.EOL
	}
	if ended, err := in.ended(t); err != nil || ended {
		return cmp.Or(err, error(pmerr.EOL))
	}
	in.request(ids)
	if err := in.bound(t, p, c); err != nil {
		return err
	}
	if c.lookout.on {
		if err := in.look(&c.lookout, t); err != nil {
			return err
		}
	}
	dst.Time = at
	dst.Reset(len(ids))
	for i, id := range ids {
		in.answer(in.series[id], t, &dst.Sets[i])
	}
	for _, s := range in.all {
		in.bounds(s, t)
		s.stepped, s.prev = true, t
	}
	return nil
}

// step returns t+delta. Like the reference it does not carry an exact second of nanoseconds (archive.md A22.1).
func step(t pcp.Timestamp, delta time.Duration) pcp.Timestamp {
	sec, ns := t.Sec+int64(delta/time.Second), int64(t.Nsec)+int64(delta%time.Second)
	switch {
	case ns > 1e9:
		sec, ns = sec+1, ns-1e9
	case ns < 0:
		sec, ns = sec-1, ns+1e9
	}
	return pcp.Timestamp{Sec: sec, Nsec: int32(ns)}
}

// ended reports whether t is after the end of the recording. Like the reference it looks for the end when t
// is more than a millisecond after the last known end, at first after the start (archive.md A13.2).
func (in *interp) ended(t int64) (bool, error) {
	if t <= in.end+1e6 {
		return false, nil
	}
	end, known, err := in.set.members[len(in.set.members)-1].knownEnd(in.ctx)
	if err != nil {
		return false, err
	}
	was := in.end
	in.end = 0
	if known {
		in.end = in.rel(end)
	}
	if in.end != was {
		in.forgetEnds()
	}
	return t > in.end, nil
}

// forgetEnds discards bounds at the end of the recording, which has grown.
func (in *interp) forgetEnds() {
	for _, s := range in.series {
		s.watched[1].complete = false
		for i := range s.slots {
			if s.slots[i].high.kind == isNone {
				s.slots[i].high = sample{}
			}
		}
	}
}

func (in *interp) request(ids []pcp.ID) {
	in.fetch++
	in.all = in.all[:0]
	for _, id := range ids {
		s := in.series[id]
		if s == nil {
			s = in.newSeries(id)
			in.series[id] = s
		}
		if s.used != in.fetch {
			s.used = in.fetch
			in.all = append(in.all, s)
		}
	}
}

func (in *interp) answer(s *series, t int64, dst *pcp.Values) {
	dst.Reset(s.desc.ID, s.desc.Type)
	dst.Err = s.err
	counter := s.desc.Sem == pcp.Counter
	// A counter has no value in the first fetch after a mark: its rate since the fetch before would be
	// over the interruption.
	jumped := counter && s.stepped && s.prev != t && s.had && in.crossed(s.prev, t)
	for i := range s.slots {
		slot := &s.slots[i]
		if !slot.wanted || !slot.qualifies(t, s.desc.Sem) {
			continue
		}
		if counter && !s.desc.Type.Arithmetic() {
			dst.Reset(s.desc.ID, s.desc.Type)
			dst.Err = pmerr.Type
			break
		}
		if jumped {
			continue
		}
		v := in.value(s, slot, t)
		dst.Insts = append(dst.Insts, slot.inst)
		if s.desc.Type.Arithmetic() {
			dst.Words = append(dst.Words, v.word)
		} else {
			dst.Blobs = append(dst.Blobs, v.blob)
		}
	}
	if s.used == in.fetch { // a metric that is requested twice has one series
		s.used = 0
		s.had = len(dst.Insts) > 0
	}
}

// qualifies reports whether a slot has a value (archive.md A13.6).
func (s *slot) qualifies(t int64, sem pcp.Sem) bool {
	switch {
	case t < s.birth || t > s.death:
		return false
	case s.low.kind == isValue && (s.low.at == t || sem == pcp.Discrete):
		return true
	case s.high.kind == isValue && s.high.at == t:
		return true
	}
	return s.low.kind == isValue && s.high.kind == isValue
}

func (in *interp) value(s *series, slot *slot, t int64) *sample {
	switch low, high := &slot.low, &slot.high; {
	case low.kind == isValue && low.at == t:
		return low
	case high.kind == isValue && high.at == t && (s.desc.Type.Arithmetic() || low.kind != isValue):
		return high
	default:
		return in.between(&s.desc, t, low, high)
	}
}

func (s *series) forget() {
	for i := range s.slots {
		s.slots[i].low, s.slots[i].high = sample{}, sample{}
	}
}

// crossed reports whether a mark lies between two successive fetches.
func (in *interp) crossed(from, to int64) bool { return in.jumped && in.jumpAt == from && to != from }

func (in *interp) bounds(s *series, t int64) {
	between := in.set.opt.Observer.Between
	if between == nil {
		return
	}
	stamp := func(x *sample) *pcp.Timestamp {
		if x.kind != isValue {
			return nil
		}
		at := in.base.Add(time.Duration(x.at))
		return &at
	}
	for i := range s.slots {
		if slot := &s.slots[i]; slot.wanted {
			between(s.desc.ID, slot.inst, in.base.Add(time.Duration(t)), stamp(&slot.low), stamp(&slot.high))
		}
	}
}
