package archive

import (
	"errors"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Who shows each metric of an archive by itself goes back to the same origin for
// each of them and asks for the first record that holds it. So that the archive is
// walked through once and not once for each metric, a Cursor remembers where each
// metric was first seen since an origin, and how far it looked. The memory grows
// with the number of metrics, not with the length of the archive.

// memo is what was seen since an origin.
type memo struct {
	valid  bool
	origin pcp.Timestamp
	seen   idTable // the place of each metric, an index into places
	places []place // ascending
	pos    spot    // how far was looked
	last   pcp.Timestamp
	err    error // why that is not further
}

// A place is where a metric was first seen.
type place struct {
	pos spot // before the record
	set int  // the byte of the record at which the metric's value set begins
}

// first reads the first record since the origin that holds a metric of the request.
// For a single metric that was seen before it also tells where its value set
// begins, otherwise set is 0.
func (c *Cursor) first() (set int, err error) {
	m := &c.memo
	if !m.valid || m.origin != c.origin {
		*m = memo{origin: c.origin, last: c.origin}
		if err := c.walk.seekForward(c.origin, &m.pos); err != nil {
			return 0, err
		}
		m.valid = true
	}
	best := len(m.places)
	for _, id := range c.want.ids {
		if i, ok := m.seen.get(id); ok && i < best {
			best = i
		}
	}
	c.placed = true
	if best < len(m.places) {
		at := m.places[best]
		if err := c.again(at.pos); err != nil {
			return 0, err
		}
		if len(c.want.ids) == 1 {
			set = at.set
		}
		return set, nil
	}
	c.pos, c.last = m.pos, m.last
	if m.err != nil {
		return 0, m.err
	}
	for {
		err := c.read()
		m.pos, m.last = c.pos, c.last
		if err != nil {
			// All other errors are met again where they were met.
			if errors.Is(err, pmerr.LogOverlap) {
				m.err = err
			}
			return 0, err
		}
		if m.add(c) {
			return 0, nil
		}
	}
}

// again reads the record behind a place where one was read before. If that is the
// one at hand, there is nothing to read and to check.
func (c *Cursor) again(at spot) error {
	if c.held != at {
		c.held, c.pos = nowhere, at
		if err := c.walk.forward(&c.pos, &c.rec); err != nil {
			return err
		}
		c.held, c.behind = at, c.pos
	}
	c.pos, c.last = c.behind, c.rec.stamp
	return nil
}

// add takes in the record that was just read, and reports whether it holds a
// metric of the request.
func (m *memo) add(c *Cursor) (found bool) {
	at := c.pos
	at.off -= int64(len(c.rec.src))
	for heads := c.rec.heads(); heads.next(); {
		if !m.seen.add(heads.id, len(m.places)) {
			continue
		}
		m.places = append(m.places, place{at, heads.start})
		// What is asked for was not seen before, so it can only be new.
		found = found || c.want.has(heads.id)
	}
	return found
}

// idTable is a hash table from metrics to small numbers: it is asked for each
// value set of an archive.
type idTable struct {
	slots []idSlot // a power of two of them, at most half in use
	used  int
}

// idSlot is a place in an idTable.
type idSlot struct {
	id    pcp.ID
	value int32 // plus one; 0 if the slot is free
}

// find returns the slot of id, or the one where it belongs.
func (t *idTable) find(id pcp.ID) *idSlot {
	mask := uint32(len(t.slots) - 1)
	for i := uint32(id) * 2654435761 >> 7; ; i++ {
		if s := &t.slots[i&mask]; s.value == 0 || s.id == id {
			return s
		}
	}
}

// get returns the number of id.
func (t *idTable) get(id pcp.ID) (int, bool) {
	if t.used == 0 {
		return 0, false
	}
	s := t.find(id)
	return int(s.value) - 1, s.value != 0
}

// add gives id a number, unless it has one.
func (t *idTable) add(id pcp.ID, value int) bool {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	s := t.find(id)
	if s.value != 0 {
		return false
	}
	*s = idSlot{id, int32(value) + 1}
	t.used++
	return true
}

// grow makes room.
func (t *idTable) grow() {
	old := t.slots
	t.slots = make([]idSlot, max(2*len(old), 64))
	for _, s := range old {
		if s.value != 0 {
			*t.find(s.id) = s
		}
	}
}
