package archive

import (
	"errors"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// spot is a place between two records of a Set as interpolation sees it: between
// two members there are two marks, one for each side of the gap (archive.md A15.2).
type spot struct {
	member int
	volume int   // its place in member.volumes
	off    int64 // 0 before the label
	gap    int8  // how many of the marks behind the member were passed
}

// later reports whether a lies behind b.
func (a spot) later(b spot) bool {
	switch {
	case a.member != b.member:
		return a.member > b.member
	case a.gap != b.gap:
		return a.gap > b.gap
	case a.volume != b.volume:
		return a.volume > b.volume
	}
	return a.off > b.off
}

// position returns the spot as a position inside a member.
func (a spot) position() position {
	return position{member: a.member, volume: a.volume, off: a.off}
}

// event is what lies between two spots: a record of which only the frame and the
// head were looked at, or a mark.
type event struct {
	record
	at int64 // its time, from the start of the Set
}

// mark reports whether the event is a mark.
func (e *event) mark() bool { return e.nsets == 0 }

// walker goes over events in both directions.
type walker struct {
	scan    *scanner
	base    pcp.Timestamp // the start of the Set, which is time 0
	back    bool          // the client steps backward
	gap     time.Duration // see Options.MarkGap
	checked [4]*byte      // the records of which all was checked last
	turn    int           // of them, the one to forget next
	glanced int64         // the size of the record that was glanced at last
	held    heldSpot
	memo    secondsMemo
}

// heldSpot is a place that was found before.
type heldSpot struct {
	spot
	at    int64 // all events before it are earlier than that
	upTo  bool  // or at that time
	valid bool
}

// rel returns a time as nanoseconds since the start of the Set. Times that no
// sound archive has are taken for the nearest that can be had.
func (w *walker) rel(t pcp.Timestamp) int64 {
	const limit = 1 << 33 // seconds
	sec := t.Sec - w.base.Sec
	switch {
	case t.Sec > w.base.Sec && (sec < 0 || sec > limit):
		sec = limit
	case t.Sec < w.base.Sec && (sec > 0 || sec < -limit):
		sec = -limit
	}
	return sec*1e9 + int64(t.Nsec) - int64(w.base.Nsec)
}

// next goes over the next event, or with up false over the one before p, and passes
// over marks that do not count. pmerr.EOL says that there is none.
func (w *walker) next(up bool, p *spot, dst *event) error {
	for {
		var err error
		if up {
			err = w.forward(p, dst)
		} else {
			err = w.backward(p, dst)
		}
		switch {
		case err == nil && (!dst.mark() || w.gap == 0 || !w.bridged(*p)):
			return nil
		case err == nil:
		case !errors.Is(err, pmerr.LogRec):
			return err
		case w.behindEnd(*p):
			if up {
				return pmerr.EOL
			}
			return err
		case len(w.scan.set.members) == 1:
			return err
		case !w.drop(up, p):
			return pmerr.EOL
		}
	}
}

// behindEnd reports whether there is no complete record behind p: what follows it is
// then an end that is cut off.
func (w *walker) behindEnd(p spot) bool {
	var e event
	end, err := w.scan.set.End()
	return err == nil && w.backward(&p, &e) == nil && e.at >= w.rel(end)
}

// drop leaves out the damaged member of p and moves p to its neighbour.
func (w *walker) drop(up bool, p *spot) bool {
	at, step := p.position(), 1
	if !up {
		step = -1
	}
	ok := w.scan.drop(&at, step)
	*p = spot{member: at.member, volume: at.volume, off: at.off}
	if w.held.member == p.member || w.scan.dropped[w.held.member] {
		w.held.valid = false
	}
	return ok
}

// bridged reports whether a mark beside a place does not count: the records before
// and behind it are near enough to each other (archive.md A13.9).
func (w *walker) bridged(p spot) bool {
	if w.gap < 0 {
		return true
	}
	var before, behind event
	for q := p; ; {
		if w.backward(&q, &before) != nil {
			return false
		}
		if !before.mark() {
			break
		}
	}
	for q := p; ; {
		if w.forward(&q, &behind) != nil {
			return false
		}
		if !behind.mark() {
			return behind.at-before.at <= int64(w.gap)
		}
	}
}

// forward goes over the next event.
func (w *walker) forward(p *spot, dst *event) error {
	for {
		m := w.scan.set.members[p.member]
		next := w.scan.neighbour(p.member, 1)
		switch p.gap {
		case 0:
			if ok, err := w.record(p, dst); ok || err != nil {
				return err
			}
			if p.volume+1 < len(m.volumes) {
				p.volume, p.off = p.volume+1, 0
				continue
			}
			if next < 0 {
				return pmerr.EOL
			}
			end, err := m.end()
			if err == nil && end.Compare(w.scan.set.members[next].label.Start) > 0 {
				return pmerr.EOL // those that overlap end the search (archive.md A3.3)
			}
			p.gap = 1
			if err == nil && !w.back {
				w.setMark(dst, end.Add(1e6))
				return nil
			}
		case 1:
			if next < 0 {
				return pmerr.EOL
			}
			p.gap = 2
			w.setMark(dst, w.scan.set.members[next].label.Start.Add(-1e6))
			return nil
		default:
			if next < 0 {
				return pmerr.EOL
			}
			*p = spot{member: next}
		}
	}
}

// setMark makes dst a mark that no file has.
func (w *walker) setMark(dst *event, t pcp.Timestamp) {
	dst.record = record{stamp: t}
	dst.at = w.rel(t)
}

// record goes over the next record of the volume.
func (w *walker) record(p *spot, dst *event) (ok bool, err error) {
	at := p.position()
	switch err := w.scan.load(&at); {
	case err == errUnreadable:
		return false, nil
	case err != nil:
		return false, err
	}
	p.off = max(p.off, w.scan.label)
	src, err := w.scan.frame(p.off)
	if src == nil || err != nil {
		return false, err
	}
	if err := w.decode(src, p.off, dst); err != nil {
		return false, err
	}
	p.off += int64(len(src))
	return true, nil
}

// decode looks at the head of the record at an offset.
func (w *walker) decode(src []byte, off int64, dst *event) error {
	if err := dst.record.decode(src, w.scan.vol.label.Version); err != nil {
		return &Error{File: w.scan.vol.path, Offset: off, Err: err}
	}
	dst.at = w.rel(dst.stamp)
	return nil
}

// backward goes over the event before p.
func (w *walker) backward(p *spot, dst *event) error {
	for {
		m := w.scan.set.members[p.member]
		switch p.gap {
		case 2:
			p.gap = 1
			if next := w.scan.neighbour(p.member, 1); next >= 0 {
				w.setMark(dst, w.scan.set.members[next].label.Start.Add(-1e6))
				return nil
			}
		case 1:
			to := position{member: p.member, volume: len(m.volumes) - 1}
			if err := w.scan.toEnd(&position{member: p.member, volume: to.volume}, &to); err != nil {
				return err
			}
			*p = spot{member: p.member, volume: to.volume, off: to.off}
			if end, err := m.end(); err == nil && !w.back {
				w.setMark(dst, end.Add(1e6))
				return nil
			}
		default:
			if ok, err := w.recordBefore(p, dst); ok || err != nil {
				return err
			}
			if p.volume > 0 {
				to := position{member: p.member, volume: p.volume - 1}
				if err := w.scan.toEnd(&position{member: p.member, volume: p.volume - 1}, &to); err != nil {
					return err
				}
				p.volume, p.off = to.volume, to.off
				continue
			}
			prev := w.scan.neighbour(p.member, -1)
			if prev < 0 {
				return pmerr.EOL
			}
			if end, err := w.scan.set.members[prev].end(); err == nil && end.Compare(m.label.Start) > 0 {
				return pmerr.EOL
			}
			*p = spot{member: prev, gap: 2}
		}
	}
}

// recordBefore goes over the record before p in its volume.
func (w *walker) recordBefore(p *spot, dst *event) (ok bool, err error) {
	at := p.position()
	switch err := w.scan.load(&at); {
	case err == errUnreadable:
		return false, nil
	case err != nil:
		return false, err
	}
	if p.off <= w.scan.label {
		return false, nil
	}
	if err := w.scan.need(p.off); err != nil {
		return false, err
	}
	w.scan.visit(p.off)
	src, err := recordBefore(w.scan.data, w.scan.label, p.off)
	if err != nil {
		return false, &Error{File: w.scan.vol.path, Offset: p.off, Err: err}
	}
	if err := w.decode(src, p.off-int64(len(src)), dst); err != nil {
		return false, err
	}
	p.off -= int64(len(src))
	return true, nil
}

// check checks all of a record, unless that was done a short while ago.
func (w *walker) check(e *event) error {
	for _, known := range w.checked {
		if known == &e.src[0] {
			return nil
		}
	}
	if _, err := checkedRecord(e.src, w.scan.vol.label.Version); err != nil {
		return &Error{File: w.scan.vol.path, Offset: -1, Err: &causeError{pmerr.LogRec, err}}
	}
	w.checked[w.turn] = &e.src[0]
	w.turn = (w.turn + 1) % len(w.checked)
	return nil
}
