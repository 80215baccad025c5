package archive

import (
	"errors"
	"sort"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// seek sets p to the place behind all events that are earlier than t, or with
// upTo, not later. It begins at the place that was found last, or at that of an
// entry of the temporal index, whichever is nearer.
func (w *walker) seek(t int64, upTo bool, p *spot) error {
	from, err := w.start(t, upTo)
	if err != nil {
		return err
	}
	*p = from
	var e event
	for { // back to where all events before are early enough
		q := *p
		err := w.next(false, &q, &e)
		if errors.Is(err, pmerr.EOL) || err == nil && before(e.at, t, upTo) {
			break
		}
		if err != nil {
			return err
		}
		*p = q
	}
	for {
		q := *p
		err := w.next(true, &q, &e)
		if errors.Is(err, pmerr.EOL) || err == nil && !before(e.at, t, upTo) {
			break
		}
		if err != nil {
			return err
		}
		*p = q
	}
	w.held = heldSpot{*p, t, upTo, true}
	return nil
}

// before reports whether an event at that time lies before the place that seek
// looks for.
func before(at, t int64, upTo bool) bool { return at < t || upTo && at == t }

// start returns a place not far from the one that seek looks for.
func (w *walker) start(t int64, upTo bool) (spot, error) {
	m := w.scan.memberAt(w.stamp(t))
	if m < 0 {
		return spot{}, pmerr.EOL
	}
	from := spot{member: m}
	index := w.scan.set.members[m].index
	i := sort.Search(len(index), func(i int) bool { return !before(w.rel(index[i].stamp), t, upTo) })
	for k := i - 1; k >= 0; k-- {
		var at position
		if w.scan.seekEntry(m, &index[k], &at) {
			from = spot{member: m, volume: at.volume, off: at.off}
			break
		}
	}
	h := &w.held
	if !h.valid || h.member != m || from.later(h.spot) {
		return from, nil
	}
	if h.at <= t || i == len(index) {
		return h.spot, nil
	}
	// The place is before the one that was found last. If no entry of the index
	// lies between them it is near.
	v := w.scan.set.members[m].volumeIndex(index[i].vol)
	next := spot{member: m, volume: v, off: index[i].data}
	if v >= 0 && !h.spot.later(next) {
		return h.spot, nil
	}
	return from, nil
}

// stamp is the time of a number of nanoseconds since the start of the Set.
func (w *walker) stamp(t int64) pcp.Timestamp {
	s := pcp.Timestamp{Sec: w.base.Sec + t/1e9, Nsec: w.base.Nsec}
	ns := int64(s.Nsec) + t%1e9
	s.Nsec = 0
	for ; ns < 0; ns += 1e9 {
		s.Sec--
	}
	s.Sec += ns / 1e9
	s.Nsec = int32(ns % 1e9)
	return s
}
