package pmapi

import (
	"context"
	"errors"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Timeline returns the recording below, for the bounds and the instances of all times. A source of
// live metrics is pmerr.NotArchive.
func (c *Context) Timeline() (Timeline, error) {
	if c.src == nil {
		return nil, pmerr.NoContext
	}
	t, ok := As[Timeline](c.src)
	if !ok {
		return nil, pmerr.NotArchive
	}
	return contextTimeline{t, c}, nil
}

// contextTimeline is a Timeline whose moves go through its Context.
type contextTimeline struct {
	Timeline
	c *Context
}

func (t contextTimeline) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	return t.c.SetMode(m, when, delta)
}

// SetMode sets how to read a recording, and the time to read from; nil keeps the position. delta is
// the step in the mode Interp. Live metrics have only the mode Live, recordings all others; any
// other mode is pmerr.Mode.
func (c *Context) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	if c.src == nil {
		return pmerr.NoContext
	}
	t, ok := As[Timeline](c.src)
	switch {
	case !ok && m == pcp.Live:
		return nil
	case !ok:
		return pmerr.Mode
	}
	if err := t.SetMode(m, when, delta); err != nil {
		return err
	}
	c.mode, c.delta, c.moved = m, delta, false
	return nil
}

// Mode returns the last mode of SetMode: at first pcp.Live for live metrics, pcp.Forward for a
// recording.
func (c *Context) Mode() (m pcp.Mode, delta time.Duration) { return c.mode, c.delta }

// Dup returns another Context over a Source of its own, with the profile, the mode, the position
// and the zone of c: the next record is the same in both. The two Contexts are independent. The
// copy's Source is new, from the function given to NewContext: later changes of the Source of c,
// and the history of derived metrics, are not in it.
func (c *Context) Dup(ctx context.Context) (*Context, error) {
	if c.src == nil {
		return nil, pmerr.NoContext
	}
	d, err := NewContext(ctx, c.open)
	if err != nil {
		return nil, err
	}
	d.zone = c.zone
	d.profile = *c.profile.Clone()
	if err := d.follow(ctx, c); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (c *Context) follow(ctx context.Context, other *Context) error {
	from, ok := As[Timeline](other.src)
	if !ok {
		return nil
	}
	if a, ok := from.(*Archive); ok && c.join(a) {
		c.mode, c.delta, c.moved = other.mode, other.delta, other.moved
		return nil
	}
	origin := from.Origin()
	if err := c.SetMode(other.mode, &origin, other.delta); err != nil {
		return err
	}
	if !other.moved || c.mode == pcp.Interp {
		return nil // the next fetch begins at the origin
	}
	// The record at the origin was read, so it is skipped here. It may be missing: the temporal
	// index of some archives leads past the record of an entry.
	err := c.Source().Fetch(ctx, new(Request), &c.result)
	switch {
	case errors.Is(err, pmerr.EOL):
	case err != nil:
		return err
	case c.result.Time != origin:
		return c.SetMode(other.mode, &origin, other.delta)
	}
	c.moved = true
	return nil
}

// join moves c to the exact position of another reader of the same archive, if that is possible: records
// may have equal times.
func (c *Context) join(from *Archive) bool {
	to, ok := As[*Archive](c.src)
	return ok && to.Follow(from)
}
