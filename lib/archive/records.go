package archive

import (
	"runtime/debug"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// FetchOrMark is Fetch for the modes Forward and Back, but does not pass over
// marks, which say that recording was interrupted: for one the first result is
// true, and dst has the time and no columns.
func (c *Cursor) FetchOrMark(ids []pcp.ID, p *pcp.Profile, dst *pcp.Result) (mark bool, err error) {
	if len(ids) == 0 {
		return false, pmerr.TooSmall
	}
	defer unguard(debug.SetPanicOnFault(true), &err)
	c.want.set(ids)
	for {
		if err := c.read(); err != nil {
			return false, err
		}
		mark := c.rec.nsets == 0
		if !mark && !c.holds() {
			continue
		}
		c.origin = c.rec.stamp
		if mark {
			dst.Time = c.rec.stamp
			dst.Reset(0)
		} else {
			c.columns(p, dst)
		}
		return mark, nil
	}
}

// holds reports whether the record holds a metric of the request.
func (c *Cursor) holds() bool {
	sets := c.rec.sets()
	for sets.Next() {
		if c.want.has(sets.ID) {
			return true
		}
	}
	return false
}
