package archive

import (
	"errors"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// position is a place between two records of a Set.
type position struct {
	member int
	volume int   // its place in member.volumes
	off    int64 // 0 before the label
	marked bool  // the mark at this end of the member was delivered
}

// scanner reads records forwards and backwards. It is a Cursor's window on the
// volume that it stands in.
type scanner struct {
	set     *Set
	dropped []bool // members that turned out to be damaged

	vol   *volume // what data belongs to
	cont  *content
	data  []byte
	label int64 // size of its label
	seen  int64 // where it stood when it last let go of what it had read
}

// releaseStep is how far a scanner goes in a file before it lets go of what lies
// behind it. Otherwise the memory of a process would grow with the archive: pages
// of a mapped file count as long as they are mapped.
const releaseStep = 2 << 20

// visit says that the scanner looks at an offset of its volume.
func (s *scanner) visit(off int64) {
	if d := off - s.seen; d >= releaseStep || d <= -releaseStep {
		s.cont.release(min(off, s.seen), max(off, s.seen))
		s.seen = off
	}
}

// errUnreadable says that a volume is passed over.
var errUnreadable = errors.New("unreadable volume")

// load makes the scanner look at a volume. One that cannot be opened or has no
// label is errUnreadable: it counts as missing (archive.md A15.1).
func (s *scanner) load(p *position) error {
	m := s.set.members[p.member]
	v := m.volumes[p.volume]
	if v == s.vol {
		return nil
	}
	c, err := v.open()
	if errors.Is(err, pmerr.LogFile) {
		return err // closed
	}
	if err != nil {
		return errUnreadable
	}
	data, err := c.view(1)
	if err != nil {
		return err
	}
	if s.cont != nil {
		s.cont.release(0, int64(len(s.data)))
	}
	s.vol, s.cont, s.data, s.label = v, c, data, labelSize(v.label.Version)
	s.seen = s.label
	return nil
}

// need makes data at least end bytes long, if the volume is that long.
func (s *scanner) need(end int64) error {
	if end <= int64(len(s.data)) {
		return nil
	}
	data, err := s.cont.view(end)
	s.data = data
	if err != nil {
		return &Error{File: s.vol.path, Offset: int64(len(data)), Err: logRecError(err)}
	}
	return nil
}

// forward reads the next record and moves p behind it. At the end of a member
// that is not the last there is a mark. pmerr.EOL is the end of all, for now;
// pmerr.LogOverlap says that the next member begins before the one that was just
// left ended. After any other error p stands where it stood.
func (s *scanner) forward(p *position, dst *record) error {
	for {
		var src []byte
		err := s.load(p)
		if err == nil {
			p.off = max(p.off, s.label)
			src, err = s.frame(p.off)
		}
		switch {
		case src != nil:
			return s.take(p, dst, src, p.off+int64(len(src)))
		case err != nil && err != errUnreadable:
			return err
		}
		m := s.set.members[p.member]
		if p.volume+1 < len(m.volumes) {
			p.volume, p.off = p.volume+1, 0
			continue
		}
		next := s.neighbour(p.member, 1)
		if next < 0 {
			return pmerr.EOL
		}
		end, endErr := m.end()
		if !p.marked {
			p.marked = true
			if endErr == nil {
				*dst = record{stamp: end.Add(1e6)}
				return nil
			}
		}
		*p = position{member: next}
		if endErr == nil && end.Compare(s.set.members[next].label.Start) > 0 {
			return pmerr.LogOverlap
		}
	}
}

// frame returns the record at an offset, nil if there is none.
func (s *scanner) frame(off int64) ([]byte, error) {
	s.visit(off)
	for {
		src, need, err := recordAt(s.data, off)
		if err != nil {
			return nil, &Error{File: s.vol.path, Offset: off, Err: err}
		}
		if need == 0 {
			return src, nil
		}
		if err := s.need(need); err != nil {
			return nil, err
		}
		switch {
		case need <= int64(len(s.data)):
		case need == off+4: // not even a length
			return nil, nil
		default:
			return nil, &Error{File: s.vol.path, Offset: off, Err: pmerr.LogRec}
		}
	}
}

// take decodes a record and checks all of it before p moves to offset to.
func (s *scanner) take(p *position, dst *record, src []byte, to int64) error {
	rec, err := checkedRecord(src, s.vol.label.Version)
	if err != nil {
		return &Error{File: s.vol.path, Offset: min(to, p.off), Err: &causeError{pmerr.LogRec, err}}
	}
	*dst = rec
	p.off, p.marked = to, false
	return nil
}

// backward is forward in the other direction: it reads the record before p and
// moves p before it.
func (s *scanner) backward(p *position, dst *record) error {
	for {
		err := s.load(p)
		if err != nil && err != errUnreadable {
			return err
		}
		if err == nil && p.off > s.label {
			if err := s.need(p.off); err != nil {
				return err
			}
			s.visit(p.off)
			src, err := recordBefore(s.data, s.label, p.off)
			if err != nil {
				return &Error{File: s.vol.path, Offset: p.off, Err: err}
			}
			return s.take(p, dst, src, p.off-int64(len(src)))
		}
		if p.volume > 0 {
			if err := s.toEnd(&position{member: p.member, volume: p.volume - 1}, p); err != nil {
				return err
			}
			continue
		}
		next := s.neighbour(p.member, -1)
		if next < 0 {
			return pmerr.EOL
		}
		start := s.set.members[p.member].label.Start
		if !p.marked {
			p.marked = true
			*dst = record{stamp: start.Add(-1e6)}
			return nil
		}
		last := len(s.set.members[next].volumes) - 1
		if err := s.toEnd(&position{member: next, volume: last}, p); err != nil {
			return err
		}
		if end, err := s.set.members[next].end(); err == nil && end.Compare(start) > 0 {
			return pmerr.LogOverlap
		}
	}
}

// toEnd sets p to the end of the volume of another position.
func (s *scanner) toEnd(vol, p *position) error {
	err := s.load(vol)
	switch err {
	case nil:
		err = s.need(everything)
		vol.off = int64(len(s.data))
	case errUnreadable:
		err = nil // there is nothing between its beginning and its end
	default:
		return err
	}
	*p = *vol
	return err
}

// neighbour returns the next member in a direction that was not dropped, or -1.
func (s *scanner) neighbour(member, step int) int {
	for i := member + step; i >= 0 && i < len(s.set.members); i += step {
		if s.dropped == nil || !s.dropped[i] {
			return i
		}
	}
	return -1
}

// memberAt returns the last member that starts not later than t, the first one if
// all start later, or -1 if none is left.
func (s *scanner) memberAt(t pcp.Timestamp) int {
	found := -1
	for i := len(s.set.members) - 1; i >= 0; i-- {
		if s.dropped != nil && s.dropped[i] {
			continue
		}
		found = i
		if s.set.members[i].label.Start.Compare(t) <= 0 {
			break
		}
	}
	return found
}

// seekForward sets p to where reading forward from t begins. Like the reference it
// believes the temporal index where it is usable (archive.md A6, A14.2): an entry
// for just that time is the place, even if it points behind the record that has
// the time, as the last entry of older archives does; otherwise it is found from
// the nearer one of the entries around t. Damage on the way back is an error.
func (s *scanner) seekForward(t pcp.Timestamp, p *position) error {
	m := s.memberAt(t)
	if m < 0 {
		return pmerr.EOL
	}
	*p = position{member: m}
	index := s.set.members[m].index
	i := slices.IndexFunc(index, func(e indexEntry) bool { return e.stamp.Compare(t) >= 0 })
	if i < 0 {
		i = len(index)
	}
	if i < len(index) {
		exact := index[i].stamp == t
		nearer := i > 0 && index[i].stamp.Sub(t) <= t.Sub(index[i-1].stamp)
		if (exact || nearer) && s.seekEntry(m, &index[i], p) {
			if exact {
				return nil
			}
			return s.backTo(t, p)
		}
	}
	for k := i - 1; k >= 0; k-- {
		if !s.seekEntry(m, &index[k], p) {
			continue
		}
		if i == len(index) {
			return nil
		}
		_, err := s.backOne(p, true)
		return err
	}
	*p = position{member: m}
	return nil
}

// backTo moves p backward over the records of its member that are later than t, and
// over one that is of that time.
func (s *scanner) backTo(t pcp.Timestamp, p *position) error {
	for first := true; ; first = false {
		q := *p
		stamp, err := s.backOne(&q, first)
		if err != nil || q == *p || stamp.Compare(t) < 0 {
			return err
		}
		*p = q
		if stamp == t {
			return nil
		}
	}
}

// backOne moves p before the record that it stands behind, if there is one in its
// member, and returns its time. A damaged record is an error unless, as with the
// reference, it is passed over: if it has a length that cannot be, or if it has a
// frame, a time and a number of sets that can be, and is not the first on the way.
func (s *scanner) backOne(p *position, first bool) (pcp.Timestamp, error) {
	var rec record
	q := *p
	err := s.backward(&q, &rec)
	switch {
	case err == nil && q.member == p.member && !q.marked:
		*p = q
		return rec.stamp, nil
	case !errors.Is(err, pmerr.LogRec) || q.member != p.member:
		return rec.stamp, nil
	}
	if s.passes(q.off, first) {
		return rec.stamp, nil
	}
	return rec.stamp, err
}

// passes reports whether the damaged record that ends at an offset is passed over.
func (s *scanner) passes(end int64, first bool) bool {
	src, err := recordBefore(s.data, s.label, end)
	if err != nil {
		size, ok := trailerBefore(s.data, end)
		return !ok || size < 8 || size > end
	}
	var rec record
	return !first && rec.decode(src, s.vol.label.Version) == nil && rec.nsets <= len(src)/8
}

// seekBackward sets p to a place behind the last record that is not later than t.
func (s *scanner) seekBackward(t pcp.Timestamp, p *position) error {
	m := s.memberAt(t)
	if m < 0 {
		return pmerr.EOL
	}
	*p = position{member: m}
	if s.set.members[m].label.Start.Compare(t) > 0 {
		return nil
	}
	index := s.set.members[m].index
	for i := range index {
		if index[i].stamp.Compare(t) > 0 && s.seekEntry(m, &index[i], p) {
			return s.skipTo(t, p)
		}
	}
	last := len(s.set.members[m].volumes) - 1
	return s.toEnd(&position{member: m, volume: last}, p)
}

// skipTo moves p forward over records that are not later than t.
func (s *scanner) skipTo(t pcp.Timestamp, p *position) error {
	var rec record
	for {
		q := *p
		err := s.forward(&q, &rec)
		if err != nil || q.member != p.member || rec.src == nil || rec.stamp.Compare(t) > 0 {
			return nil
		}
		*p = q
	}
}

// seekEntry sets p to where an index entry points, if a record begins or ends there.
func (s *scanner) seekEntry(m int, e *indexEntry, p *position) bool {
	v := s.set.members[m].volumeIndex(e.vol)
	if v < 0 {
		return false
	}
	to := position{member: m, volume: v, off: e.data}
	if s.load(&to) != nil || e.data < s.label || s.need(e.data) != nil || e.data > int64(len(s.data)) {
		return false
	}
	if e.data > s.label {
		_, err := recordBefore(s.data, s.label, e.data)
		if src, _, _ := recordAt(s.data, e.data); err != nil && src == nil {
			return false
		}
	}
	*p = to
	return true
}

// drop leaves a damaged member out of a set from now on and moves p to its
// neighbour in the direction of reading (archive.md A10). It reports whether there
// was one.
func (s *scanner) drop(p *position, step int) bool {
	if s.dropped == nil {
		s.dropped = make([]bool, len(s.set.members))
	}
	m := s.set.members[p.member]
	s.dropped[p.member] = true
	s.set.warn(fmt.Sprintf("Warning: __pmLogRead: removing corrupted archive %q vol %d", m.name, m.volumes[p.volume].number))
	next := s.neighbour(p.member, step)
	if next < 0 {
		return false
	}
	*p = position{member: next}
	if step < 0 {
		last := len(s.set.members[next].volumes) - 1
		return s.toEnd(&position{member: next, volume: last}, p) == nil
	}
	return true
}
