package archive

import (
	"encoding/binary"
	"errors"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func (in *interp) bound(t int64, p *pcp.Profile, c *Cursor) error {
	low, high, counters, none := 0, 0, false, false
	for _, s := range in.all {
		l, h, n := s.open(t, p)
		low, high, none = low+l, high+h, none || n
		counters = counters || s.desc.Sem == pcp.Counter && s.stepped && s.had && l+h > 0
	}
	if none && in.delta >= 0 {
		for _, s := range in.all {
			s.meet(t)
		}
	}
	if low == 0 && high == 0 {
		return nil
	}
	if counters {
		if err := in.sweep(t); err != nil {
			return err
		}
	}
	// Lower bounds come first: a value at exactly t makes the upper bound unnecessary.
	var at position
	if low > 0 {
		if err := in.seek(t, true, &at); err != nil {
			return err
		}
		if err := in.search(at, false, t, low, c); err != nil {
			return err
		}
	}
	high = 0
	for _, s := range in.all {
		high += s.close(t)
	}
	if high == 0 {
		return nil
	}
	if err := in.seek(t, false, &at); err != nil {
		return err
	}
	return in.search(at, true, t, high, c)
}

// meet copies upper bounds at exactly t to the lower ones, if they are not numbers: see value. The
// reference searches for the value before an instance's first one at each step, with this effect.
func (s *series) meet(t int64) {
	if s.desc.Type.Arithmetic() {
		return
	}
	for i := range s.slots {
		if slot := &s.slots[i]; slot.wanted && slot.high.kind == isValue && slot.high.at == t {
			slot.low = slot.high
		}
	}
}

// open prepares the slots of the selected instances for time t. It returns the number of lower bounds to
// search, the maximum of upper bounds, and whether an instance has no earlier value.
func (s *series) open(t int64, p *pcp.Profile) (low, high int, none bool) {
	all := p.All()
	for i := range s.slots {
		slot := &s.slots[i]
		slot.wanted = all || p.Selects(s.desc.InDom, slot.inst)
		if !slot.wanted || t < slot.birth || t > slot.death {
			continue
		}
		switch { // a mark at exactly that time is both bounds
		case slot.high.kind == isMark && slot.high.at == t:
			slot.low = slot.high
		case slot.low.kind == isMark && slot.low.at == t:
			slot.high = slot.low
		case slot.high.kind == isValue && slot.high.at == t && slot.low.kind != isValue:
			slot.low.kind = isUnknown // the reference searches for it again: see search
		}
		// Time has left the interval between the bounds, or there may be values between the lower bound
		// and t, since the upper bound was never searched.
		if slot.low.at > t || slot.high.at < t || slot.high.kind == isUnknown && slot.low.at != t {
			slot.low.kind, slot.high.kind = isUnknown, isUnknown
		}
		none = none || slot.low.kind == isNone
		if slot.low.kind == isUnknown && !s.recall(slot, false, t) {
			low++
		}
		if slot.high.kind == isUnknown {
			high++
		}
	}
	s.left = low
	return low, high, none
}

// close returns the number of upper bounds to search once the lower ones are known: none for a slot with a
// value at t.
func (s *series) close(t int64) int {
	s.left = 0
	for i := range s.slots {
		slot := &s.slots[i]
		if slot.lacks(true, t) && !s.recall(slot, true, t) {
			s.left++
		}
	}
	return s.left
}

// lacks reports whether a bound of a slot must be searched: not without a lifetime at t, or with a value at
// exactly t.
func (s *slot) lacks(up bool, t int64) bool {
	if !s.wanted || t < s.birth || t > s.death {
		return false
	}
	if up {
		return s.high.kind == isUnknown && !(s.low.kind == isValue && s.low.at == t)
	}
	return s.low.kind == isUnknown
}

// search reads on from a position in a direction, and fills the unknown bounds until all are known.
func (in *interp) search(at position, up bool, t int64, left int, c *Cursor) error {
	for _, s := range in.all {
		s.watch(up, t)
	}
	var e record
	for left > 0 {
		switch err := in.next(up, &at, &e); {
		case errors.Is(err, pmerr.EOL):
			in.fill(up, t, sample{kind: isNone, at: farthest(up)})
			return nil
		case err != nil:
			return err
		case e.nsets == 0:
			in.fill(up, t, sample{kind: isMark, at: e.at})
			return nil
		}
		// Only the heads of value sets are read here. Values are decoded by take if a bound needs them.
		heads := e.heads()
		for heads.next() {
			if heads.count <= 0 {
				continue
			}
			s := in.series[heads.id]
			if s == nil || s.used != in.fetch {
				continue
			}
			// Such a search of the reference finds an upper bound at exactly that time again. This
			// matters for values that are not numbers: see value.
			again := !up && e.at == t && !s.desc.Type.Arithmetic()
			if s.left == 0 && !again {
				continue
			}
			n, err := in.take(s, &e, &heads, up, t, again, c)
			if err != nil {
				return err
			}
			left -= n
		}
	}
	return nil
}

func farthest(up bool) int64 {
	if up {
		return 1<<63 - 1
	}
	return -1 << 63
}

func (in *interp) fill(up bool, t int64, with sample) {
	for _, s := range in.all {
		if s.left == 0 {
			continue
		}
		s.left = 0
		if w := &s.watched[sideOf(up)]; !w.complete {
			w.complete, w.end = true, with
		}
		for i := range s.slots {
			if slot := &s.slots[i]; slot.lacks(up, t) {
				*slot.bound(up) = with
			}
		}
	}
}

// take fills missing samples from a value set, with again the known ones too, and returns the number of
// missing ones.
func (in *interp) take(s *series, e *record, heads *valueSets, up bool, t int64, again bool, c *Cursor) (int, error) {
	if !s.holds(e, heads, up, t, again) {
		return 0, nil
	}
	// Most records that a search reads have no needed value. The check of all lengths is left to the
	// few that have.
	if err := in.check(e); err != nil {
		return 0, err
	}
	if !fits(s.desc.Type, binary.BigEndian.Uint32(e.src[heads.start+8:])) {
		return 0, pmerr.LogRec
	}
	sets := e.setAt(heads.start)
	sets.Checked = true
	sets.Next()
	sets.Decode(&s.col, &s.desc, nil, &c.arena)
	found, hint := 0, 0 // records list instances mostly in the same order: the next slot is tried first
	for i, inst := range s.col.Insts {
		k, ok := s.find(inst, hint)
		if !ok {
			continue
		}
		hint = k + 1
		slot := &s.slots[k]
		lacks := slot.lacks(up, t)
		if !lacks && !again {
			continue
		}
		b := slot.bound(up)
		*b = sample{kind: isValue, at: e.at}
		if s.desc.Type.Arithmetic() {
			b.word = s.col.Words[i]
		} else {
			b.blob = s.col.Blobs[i]
		}
		if lacks {
			found++
		}
	}
	s.left -= found
	return found, nil
}

// holds reports whether a value set holds a missing sample, and notes that its instances were seen.
func (s *series) holds(e *record, heads *valueSets, up bool, t int64, again bool) (found bool) {
	hint, side := 0, sideOf(up)
	for pairs := e.src[heads.start+12 : heads.pos]; len(pairs) >= 8; pairs = pairs[8:] {
		k, ok := s.find(int32(binary.BigEndian.Uint32(pairs)), hint)
		if !ok {
			continue
		}
		hint = k + 1
		slot := &s.slots[k]
		if up == (e.at > slot.seen[side]) {
			slot.seen[side] = e.at
		}
		found = found || again || slot.lacks(up, t)
	}
	return found
}

// fits reports whether values of a type may have such a format (archive.md A10).
func fits(t pcp.Type, format uint32) bool {
	switch t {
	case pcp.Int32, pcp.Uint32:
		return format == wire.InSitu
	case pcp.Float:
		return true
	default:
		return format != wire.InSitu
	}
}

// sweep looks for a mark between the previous fetch and t (archive.md A13.6).
func (in *interp) sweep(t int64) error {
	prev, known := int64(0), false
	for _, s := range in.all {
		if s.desc.Sem == pcp.Counter && s.stepped && s.had {
			prev, known = s.prev, true
		}
	}
	in.jumped = false
	if !known || prev == t {
		return nil
	}
	in.jumpAt = prev
	up := t > prev
	var at position
	if err := in.seek(prev, up, &at); err != nil {
		return err
	}
	var e record
	for {
		q := at
		err := in.next(up, &q, &e)
		if errors.Is(err, pmerr.EOL) || err == nil && (up && e.at > t || !up && e.at < t) {
			break
		}
		if err != nil {
			return err
		}
		at = q // the record beyond t is not passed: the search for bounds starts before it
		in.jumped = in.jumped || e.nsets == 0
	}
	in.held = heldSpot{at, t, up, true}
	return nil
}
