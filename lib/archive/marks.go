package archive

import (
	"context"
	"errors"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A lookout notices marks for [Cursor.Marked].
type lookout struct {
	on     bool
	marked bool
	begun  bool
	before int64 // the time of the fetch before, in the mode Interp
	finder
}

// WatchMarks makes Fetch notice marks, for Marked.
func (c *Cursor) WatchMarks() { c.lookout.on = true }

// Marked reports whether recording was interrupted between the last result of Fetch and the one before it.
func (c *Cursor) Marked() bool { return c.lookout.marked }

// fetchWatched is Fetch for the modes Forward and Back, but notices marks.
func (c *Cursor) fetchWatched(ctx context.Context, ids []pcp.ID, p *pcp.Profile, dst *pcp.Result) error {
	c.lookout.marked = false
	for {
		mark, err := c.FetchOrMark(ctx, ids, p, dst)
		if !mark || err != nil {
			return err
		}
		c.lookout.marked = true
	}
}

// look finds out whether a mark lies between the time of the fetch before and t, in the mode Interp.
func (in *interp) look(l *lookout, t int64) error {
	from, begun := l.before, l.begun
	l.before, l.begun, l.marked = t, true, false
	if !begun || from == t {
		return nil
	}
	if l.finder.walker == nil {
		l.finder = finder{walker: in.finder.walker, gap: in.finder.gap}
	}
	up := t > from
	var at position
	if err := l.seek(from, up, &at); err != nil {
		return err
	}
	for {
		var e record
		err := l.next(up, &at, &e)
		if errors.Is(err, pmerr.EOL) || err == nil && (up && e.at > t || !up && e.at < t) {
			return nil
		}
		if err != nil {
			return err
		}
		l.marked = l.marked || e.nsets == 0
	}
}
