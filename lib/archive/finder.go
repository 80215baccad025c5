package archive

import (
	"errors"
	"sort"
	"time"

	"pmtools/lib/pmerr"
)

// finder finds places in a Set by time for interpolation. It skips records without decoding their values.
type finder struct {
	*walker
	gap     time.Duration // see Options.MarkGap
	held    heldSpot
	checked *byte // the record that was fully checked last
}

type heldSpot struct {
	position
	at    int64 // all records and marks before the position are earlier than at
	upTo  bool  // with upTo: or at that time
	valid bool
}

// next is step, but it skips ignored marks, drops damaged members, and takes a truncated last record for
// the end.
func (f *finder) next(up bool, p *position, dst *record) error {
	for {
		err := f.step(up, p, dst)
		switch {
		case err == nil && (dst.nsets > 0 || f.gap == 0 || !f.bridged(*p)):
			return nil
		case err == nil:
		case !errors.Is(err, pmerr.LogRec):
			return err
		case f.afterEnd(*p):
			if up {
				return pmerr.EOL
			}
			return err
		case len(f.set.members) == 1:
			return err
		case f.ctx.Err() != nil: // the end of the context is not damage
			return f.ctx.Err()
		default:
			f.held = heldSpot{}
			if !f.drop(up, p) {
				return pmerr.EOL
			}
		}
	}
}

// afterEnd reports whether no complete record follows p: then the next bytes are a truncated record.
func (f *finder) afterEnd(p position) bool {
	var rec record
	end, err := f.set.End(f.ctx)
	return err == nil && f.backward(&p, &rec) == nil && rec.at >= f.rel(end)
}

// bridged reports whether the mark at a position is ignored: the records around it are close to each other
// (archive.md A13.9).
func (f *finder) bridged(p position) bool {
	if f.gap < 0 {
		return true
	}
	var sides [2]record
	for i := range sides {
		for q := p; sides[i].nsets == 0; {
			if f.step(i == 1, &q, &sides[i]) != nil {
				return false
			}
		}
	}
	return sides[1].at-sides[0].at <= int64(f.gap)
}

// check checks a whole record, unless it was the last one.
func (f *finder) check(rec *record) error {
	if f.checked == &rec.src[0] {
		return nil
	}
	if err := rec.check(); err != nil {
		return f.damage(-1, err)
	}
	f.checked = &rec.src[0]
	return nil
}

// seek moves p after all records and marks before t, or with upTo, at t. It starts from the last result or
// from an entry of the temporal index, whichever is nearer.
func (f *finder) seek(t int64, upTo bool, p *position) error {
	m := f.memberAt(f.base.Add(time.Duration(t)))
	if m < 0 {
		return pmerr.EOL
	}
	*p = f.start(m, t, upTo)
	var rec record
	for _, up := range []bool{false, true} { // first back until everything before p is early enough
		for {
			q := *p
			err := f.next(up, &q, &rec)
			if errors.Is(err, pmerr.EOL) || err == nil && up != precedes(rec.at, t, upTo) {
				break
			}
			if err != nil {
				return err
			}
			*p = q
		}
	}
	f.held = heldSpot{*p, t, upTo, true}
	return nil
}

// precedes reports whether a record at time at lies before the place that seek looks for.
func precedes(at, t int64, upTo bool) bool { return at < t || upTo && at == t }

func (f *finder) start(m int, t int64, upTo bool) position {
	from := position{member: m}
	index := f.set.members[m].index
	i := sort.Search(len(index), func(i int) bool { return !precedes(f.rel(index[i].stamp), t, upTo) })
	for k := i - 1; k >= 0; k-- { // an entry may lead to a volume that is missing or damaged
		if f.seekEntry(m, &index[k], &from) {
			break
		}
	}
	h := &f.held
	if !h.valid || h.member != m || from.later(h.position) {
		return from
	}
	if h.at <= t || i == len(index) { // from is not later, so no entry before the target is nearer
		return h.position
	}
	// The target is before the last result. If no entry of the index is between them, the last
	// result is near.
	v := f.set.members[m].volumeIndex(index[i].vol)
	next := position{member: m, volume: v, off: index[i].data}
	if v >= 0 && !h.position.later(next) {
		return h.position
	}
	return from
}
