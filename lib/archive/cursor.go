package archive

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Cursor is a position in a Set and a direction. It must not be shared by goroutines, but several
// Cursors may read one Set.
type Cursor struct {
	walk   walker
	mode   pcp.Mode
	origin pcp.Timestamp
	placed bool // pos and last are valid; otherwise reading begins at the origin
	pos    position
	last   pcp.Timestamp // time of the record read last, requested or not
	memo   memo

	rec   record   // read last
	held  position // position of rec, if it was read through the memo
	after position // position after rec

	want  request
	arena wire.Arena
	found pcp.Desc // of the set that Next decodes

	interp *interp // state of the mode pcp.Interp
	lookout
	tap func(*Raw)
}

// Cursor returns a new Cursor that reads forward from the start of the Set.
func (s *Set) Cursor() *Cursor {
	start := s.Label().Start
	c := &Cursor{mode: pcp.Forward, origin: start, placed: true, last: start, held: noPosition}
	c.walk = walker{set: s, clock: clock{base: start}, window: window{ctx: context.Background()}}
	c.walk.setMode(pcp.Forward, false)
	return c
}

// noPosition is the zero answer of a search: it is never in an archive.
var noPosition = position{member: -1}

// SetMode sets the mode and the origin; nil keeps the origin. The modes Forward and Back ignore
// delta. In the mode Interp each fetch adds it to the origin; it may be negative. An unknown mode
// is pmerr.Mode.
func (c *Cursor) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	switch m {
	case pcp.Forward, pcp.Back:
	case pcp.Interp:
		c.startInterp(delta)
	default:
		return pmerr.Mode
	}
	c.walk.setMode(m, m == pcp.Back || m == pcp.Interp && delta < 0)
	c.origin = c.Origin()
	c.mode, c.placed = m, false
	c.lookout.begun, c.lookout.marked = false, false
	if when != nil {
		c.origin = *when
	}
	return nil
}

// Origin returns the current time of the Cursor: that of the last record read, the time given to
// SetMode, or in the mode Interp the time of the next fetch.
func (c *Cursor) Origin() pcp.Timestamp {
	if c.mode == pcp.Interp {
		return c.origin.Add(0)
	}
	return c.origin
}

// Label returns the label of the volume that was read last, or the label of the Set before the
// first read.
func (c *Cursor) Label() Label {
	if c.walk.vol != nil {
		return c.walk.vol.label
	}
	return c.walk.set.Label()
}

// Fetch reads the next record that holds any of the metrics and stores their columns in dst in the
// order of ids; p selects instances, nil means all. A metric that is not in the record has no
// values. After the last record it returns pmerr.EOL and the Cursor stays there, so records that
// are appended later can be read.
//
// In the mode Interp it interpolates the values at the origin between the records around it, and
// moves the origin. An origin outside the recording is pmerr.EOL and moves as well. As in the
// reference, the time of a result may have a full second of nanoseconds. Without ids there are no
// columns.
//
// Bytes in dst stay valid forever, everything else until the next Fetch into dst. When ctx is done,
// its error is returned by the next read that takes long; the Cursor can go on later.
func (c *Cursor) Fetch(ctx context.Context, ids []pcp.ID, p *pcp.Profile, dst *pcp.Result) (err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	c.walk.ctx = ctx
	if c.mode == pcp.Interp {
		return c.interpolate(ids, p, dst)
	}
	if len(ids) == 0 {
		return pmerr.TooSmall
	}
	if c.lookout.on {
		return c.fetchWatched(ctx, ids, p, dst)
	}
	c.want.set(ids)
	set := 0
	if !c.placed && c.mode == pcp.Forward {
		set, err = c.first()
	} else {
		err = c.find()
	}
	switch {
	case errors.Is(err, pmerr.EOL):
		c.origin = c.last // at the end the origin is the time of the last record
		return err
	case err != nil:
		return err
	}
	c.origin = c.rec.stamp
	c.columns(set, p, dst)
	return nil
}

// FetchOrMark is Fetch for the modes Forward and Back, but does not skip marks, which show where
// recording was interrupted: for a mark it returns true, and dst has the time and no columns.
func (c *Cursor) FetchOrMark(ctx context.Context, ids []pcp.ID, p *pcp.Profile, dst *pcp.Result) (mark bool, err error) {
	if len(ids) == 0 {
		return false, pmerr.TooSmall
	}
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	c.walk.ctx = ctx
	c.want.set(ids)
	for {
		if err := c.read(); err != nil {
			return false, err
		}
		mark := c.rec.nsets == 0
		switch {
		case mark:
			dst.Time = c.rec.stamp
			dst.Reset(0)
		case c.wanted():
			c.columns(0, p, dst)
		default:
			continue
		}
		c.origin = c.rec.stamp
		return mark, nil
	}
}

func (c *Cursor) find() error {
	for {
		if err := c.read(); err != nil || c.wanted() {
			return err
		}
	}
}

func (c *Cursor) wanted() bool {
	for heads := c.rec.heads(); heads.next(); {
		if c.want.has(heads.id) {
			return true
		}
	}
	return false
}

// Next reads the next record and stores all its columns in dst. A mark, which shows where recording
// was interrupted, has none. In the mode Interp it returns pmerr.Mode.
func (c *Cursor) Next(ctx context.Context, dst *pcp.Result) (err error) {
	if c.mode == pcp.Interp {
		return pmerr.Mode
	}
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	c.walk.ctx = ctx
	if err := c.read(); err != nil {
		return err
	}
	c.origin = c.rec.stamp
	dst.Time = c.rec.stamp
	dst.Reset(c.rec.nsets)
	sets := c.rec.sets()
	sets.Checked = true
	for i := 0; sets.Next(); i++ {
		v := &dst.Sets[i]
		c.found = c.desc(sets.ID)
		sets.Decode(v, &c.found, nil, &c.arena)
		v.Empty = v.Len() == 0 && v.Err == nil
	}
	return nil
}

// columns decodes the record into the columns of the request. set is the offset of the only metric's value
// set, if it is known, else 0.
func (c *Cursor) columns(set int, p *pcp.Profile, dst *pcp.Result) {
	dst.Time = c.rec.stamp
	dst.Reset(len(c.want.ids))
	for i, id := range c.want.ids {
		d := &c.want.descs[i]
		if d.Type == pcp.Unknown {
			*d = c.desc(id)
		}
		dst.Sets[i].Reset(id, d.Type)
	}
	sets := c.rec.sets()
	if set > 0 {
		sets = c.rec.setAt(set)
	}
	sets.Checked = true
	c.want.begin()
	left := len(c.want.ids)
	for left > 0 && sets.Next() {
		for i := c.want.take(sets.ID); i >= 0; i = c.want.same(i) {
			v := &dst.Sets[i]
			sets.Decode(v, &c.want.descs[i], p, &c.arena)
			v.Empty = sets.Count == 0
			left--
		}
	}
}

// desc returns the description of a metric; without one the type is unknown.
func (c *Cursor) desc(id pcp.ID) pcp.Desc {
	if d, ok := c.walk.set.descs[id]; ok {
		return d
	}
	return pcp.Desc{ID: id, Type: pcp.Unknown, InDom: pcp.NullInDom}
}

// read reads the next record in the direction of the mode. It skips unordered records, and drops a damaged
// member of a set.
func (c *Cursor) read() error {
	up, order := true, 1
	if c.mode == pcp.Back {
		up, order = false, -1
	}
	if !c.placed {
		if err := c.seek(); err != nil {
			return err
		}
	}
	c.held = noPosition
	for {
		err := c.walk.step(up, &c.pos, &c.rec)
		switch {
		case err == nil:
			if c.rec.stamp.Compare(c.last)*order >= 0 {
				c.last = c.rec.stamp
				if c.tap != nil {
					c.tapped()
				}
				return nil
			}
		case len(c.walk.set.members) > 1 && errors.Is(err, pmerr.LogRec):
			if !c.walk.drop(up, &c.pos) {
				return pmerr.EOL
			}
		default:
			return err
		}
	}
}

func (c *Cursor) seek() error {
	seek := c.walk.seekForward
	if c.mode == pcp.Back {
		seek = c.walk.seekBackward
	}
	err := seek(c.origin, &c.pos)
	if err = cmp.Or(err, c.walk.ctx.Err()); err != nil {
		return err
	}
	c.placed, c.last = true, c.origin
	c.walk.sought(c.mode, c.origin, &c.pos)
	return nil
}

// Follow makes c read on where other does, with the same record and in the same direction. other
// may be a Cursor of another Set that was opened from the same files. If it was not, or other is in
// the mode Interp, Follow does nothing and returns false.
func (c *Cursor) Follow(other *Cursor) bool {
	if other.mode == pcp.Interp || !c.walk.set.like(other.walk.set) {
		return false
	}
	c.mode, c.origin, c.interp = other.mode, other.origin, nil
	c.placed, c.pos, c.last, c.held = other.placed, other.pos, other.last, noPosition
	c.walk.setMode(c.mode, c.mode == pcp.Back)
	c.walk.dropped = slices.Clone(other.walk.dropped)
	for i, m := range other.walk.set.members {
		if k := slices.Index(m.volumes, other.walk.vol); k >= 0 {
			_, _ = c.walk.look(c.walk.set.members[i].volumes[k]) // it opens the volume for Label; the next read returns an error
		}
	}
	return true
}

// first reads the first record since the origin that holds a metric of the request. For a single known
// metric it also returns the offset of its value set, else 0.
func (c *Cursor) first() (set int, err error) {
	m := &c.memo
	if m.seen == nil || m.origin != c.origin {
		*m = memo{origin: c.origin, last: c.origin}
		err := c.walk.seekForward(c.origin, &m.pos)
		if err = cmp.Or(err, c.walk.ctx.Err()); err != nil {
			return 0, err
		}
		c.walk.sought(c.mode, c.origin, &m.pos)
		m.seen = make(map[pcp.ID]place)
	}
	best := place{pos: noPosition}
	for _, id := range c.want.ids {
		if at, ok := m.seen[id]; ok && (best.pos == noPosition || best.pos.later(at.pos)) {
			best = at
		}
	}
	c.placed = true
	if best.pos != noPosition {
		if len(c.want.ids) == 1 {
			set = best.set
		}
		return set, c.again(best.pos)
	}
	c.pos, c.last = m.pos, m.last
	if m.err != nil {
		return 0, m.err
	}
	for {
		err := c.read()
		m.pos, m.last = c.pos, c.last
		if err != nil {
			// All other errors occur again at the same place.
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
