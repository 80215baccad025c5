package archive

import (
	"cmp"
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// position is a place between two records of a Set. Between members there are two marks, one for each side
// of the gap (archive.md A15.2).
type position struct {
	member int
	volume int   // index in member.volumes
	off    int64 // 0 before the label
	gap    int8  // number of marks after the member that were passed
}

func (a position) later(b position) bool {
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

// walker reads the records of a Set, and the marks between its members, forward and backward.
type walker struct {
	window
	clock
	set     *Set
	dropped []bool // members found damaged

	// marks tells which of the two marks between members exist.
	marks [2]bool
	// lazy checks only the head of each record, and ends the walk where two members overlap (archive.md
	// A3.3). Otherwise a record is checked as a whole, and the way into the second member is
	// pmerr.LogOverlap.
	lazy bool
}

// setMode prepares the walker for a mode; back means that time goes backward. Interpolation backward sees
// one mark in each gap, like the mode Back.
func (w *walker) setMode(m pcp.Mode, back bool) {
	w.lazy = m == pcp.Interp
	w.marks = [2]bool{!back, back || w.lazy}
}

// step reads the record or mark after p, or before p if up is false, and moves p past it. pmerr.EOL is the
// end: an archive may still grow. After errors other than pmerr.LogOverlap p stays at the unreadable
// record.
func (w *walker) step(up bool, p *position, dst *record) error {
	if up {
		return w.forward(p, dst)
	}
	return w.backward(p, dst)
}

func (w *walker) forward(p *position, dst *record) error {
	for {
		if p.gap == 0 {
			if ok, err := w.after(p, dst); ok || err != nil {
				return err
			}
		}
		next := w.neighbour(p.member, 1)
		if next < 0 {
			return pmerr.EOL
		}
		end, known, err := w.set.members[p.member].knownEnd(w.ctx)
		if err != nil {
			return err
		}
		start := w.set.members[next].label.Start
		overlap := known && end.Compare(start) > 0
		switch p.gap {
		case 0:
			if overlap && w.lazy {
				return pmerr.EOL
			}
			p.gap = 1
			if known && w.marks[0] {
				w.mark(dst, end.Add(1e6))
				return nil
			}
		case 1:
			p.gap = 2
			if w.marks[1] {
				w.mark(dst, start.Add(-1e6))
				return nil
			}
		default:
			*p = position{member: next}
			if overlap && !w.lazy {
				return pmerr.LogOverlap
			}
		}
	}
}

func (w *walker) backward(p *position, dst *record) error {
	for {
		if p.gap == 0 {
			if ok, err := w.before(p, dst); ok || err != nil {
				return err
			}
			prev := w.neighbour(p.member, -1)
			if prev < 0 {
				return pmerr.EOL
			}
			if overlap, err := w.set.overlap(w.ctx, prev, p.member); err != nil || overlap && w.lazy {
				return cmp.Or(err, error(pmerr.EOL))
			}
			*p = position{member: prev, gap: 2}
		}
		next := w.neighbour(p.member, 1)
		if p.gap == 2 {
			p.gap = 1
			if next >= 0 && w.marks[1] {
				w.mark(dst, w.set.members[next].label.Start.Add(-1e6))
				return nil
			}
		}
		if err := w.toEnd(p, p.member); err != nil {
			return err
		}
		if next >= 0 && !w.lazy {
			if overlap, err := w.set.overlap(w.ctx, p.member, next); err != nil || overlap {
				return cmp.Or(err, error(pmerr.LogOverlap))
			}
		}
		if end, known, err := w.set.members[p.member].knownEnd(w.ctx); err != nil {
			return err
		} else if known && w.marks[0] {
			w.mark(dst, end.Add(1e6))
			return nil
		}
	}
}

func (s *Set) overlap(ctx context.Context, a, b int) (bool, error) {
	end, known, err := s.members[a].knownEnd(ctx)
	return known && end.Compare(s.members[b].label.Start) > 0, err
}

func (w *walker) mark(dst *record, t pcp.Timestamp) { *dst = record{stamp: t, at: w.rel(t)} }

// after reads the record after p, if its member has one, and moves p after it.
func (w *walker) after(p *position, dst *record) (ok bool, err error) {
	for volumes := w.set.members[p.member].volumes; ; {
		var src []byte
		if ok, err = w.look(volumes[p.volume]); ok {
			p.off = max(p.off, w.label)
			src, err = w.recordAt(p.off)
		}
		if src != nil {
			err = w.take(p, p.off+int64(len(src)), src, dst)
		}
		if src != nil || err != nil {
			return err == nil, err
		}
		if p.volume+1 == len(volumes) {
			return false, nil
		}
		p.volume, p.off = p.volume+1, 0
	}
}

func (w *walker) before(p *position, dst *record) (ok bool, err error) {
	for volumes := w.set.members[p.member].volumes; ; {
		var src []byte
		if ok, err = w.look(volumes[p.volume]); ok {
			src, err = w.recordBefore(p.off)
		}
		if src != nil {
			err = w.take(p, p.off-int64(len(src)), src, dst)
		}
		if src != nil || err != nil {
			return err == nil, err
		}
		if p.volume == 0 {
			return false, nil
		}
		if err := w.toVolumeEnd(p, p.member, p.volume-1); err != nil {
			return false, err
		}
	}
}

func (w *walker) take(p *position, to int64, src []byte, dst *record) error {
	err := dst.decode(src, w.vol.label.Version)
	if err == nil && !w.lazy {
		err = dst.check()
	}
	if err != nil {
		return w.damage(min(to, p.off), err)
	}
	if seen := w.set.opt.Observer.Record; seen != nil {
		seen(to < p.off, w.vol.number, min(to, p.off), int64(len(src)), dst.stamp)
	}
	dst.at, p.off = w.rel(dst.stamp), to
	return nil
}

func (w *walker) toEnd(p *position, member int) error {
	return w.toVolumeEnd(p, member, len(w.set.members[member].volumes)-1)
}

func (w *walker) toVolumeEnd(p *position, member, volume int) error {
	ok, err := w.look(w.set.members[member].volumes[volume])
	if err != nil {
		return err
	}
	*p = position{member: member, volume: volume}
	if ok { // without a record the window is empty
		p.off, err = w.size()
	}
	return err
}

// neighbour returns the next member in a direction that was not dropped, or -1.
func (w *walker) neighbour(member, step int) int {
	for i := member + step; i >= 0 && i < len(w.set.members); i += step {
		if w.dropped == nil || !w.dropped[i] {
			return i
		}
	}
	return -1
}

// drop removes a damaged member from the walk and moves p to its neighbour in the direction of reading
// (archive.md A10), if there is one.
func (w *walker) drop(up bool, p *position) bool {
	if w.dropped == nil {
		w.dropped = make([]bool, len(w.set.members))
	}
	m, step := w.set.members[p.member], -1
	if up {
		step = 1
	}
	w.dropped[p.member] = true
	w.set.warn(fmt.Sprintf("Warning: __pmLogRead: removing corrupted archive %q vol %d", m.name, m.volumes[p.volume].number))
	next := w.neighbour(p.member, step)
	if next < 0 {
		return false
	}
	*p = position{member: next}
	return up || w.toEnd(p, next) == nil
}

func (w *walker) sought(m pcp.Mode, t pcp.Timestamp, p *position) {
	if seek := w.set.opt.Observer.Seek; seek != nil {
		seek(m, t, w.set.members[p.member].volumes[p.volume].number, p.off)
	}
}
