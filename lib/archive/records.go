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
		switch {
		case mark:
			dst.Time = c.rec.stamp
			dst.Reset(0)
		case len(ids) == 1:
			if !c.only(p, dst) {
				continue
			}
		case !c.holds():
			continue
		default:
			c.columns(p, dst)
		}
		c.origin = c.rec.stamp
		return mark, nil
	}
}

// only makes dst the columns of a request for one metric, if the record holds it.
func (c *Cursor) only(p *pcp.Profile, dst *pcp.Result) bool {
	for sets := c.rec.sets(); sets.Next(); {
		if sets.ID != c.want.ids[0] {
			continue
		}
		dst.Time = c.rec.stamp
		dst.Reset(1)
		d := c.desc(sets.ID)
		sets.Decode(&dst.Sets[0], &d, p, &c.arena)
		return true
	}
	return false
}

// holds reports whether the record holds a metric of the request.
func (c *Cursor) holds() bool {
	for sets := c.rec.sets(); sets.Next(); {
		if c.want.has(sets.ID) {
			return true
		}
	}
	return false
}
