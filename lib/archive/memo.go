package archive

import (
	"pmtools/lib/pcp"
)

// pminfo reads metrics one at a time and rewinds to the same origin for each. To read the archive
// only once, a Cursor remembers the first position of each metric since the origin, and the end of
// the records it has read. The memory grows with the number of metrics, not with the length of the
// archive.

type memo struct {
	origin pcp.Timestamp
	seen   map[pcp.ID]place // first position of each metric; nil if none is valid
	pos    position         // end of the records that were read
	last   pcp.Timestamp
	err    error // reason of the end of reading
}

type place struct {
	pos position // position before the record
	set int      // the byte of the record at which the metric's value set begins
}

// again reads the record after a known position, unless it is the current record.
func (c *Cursor) again(at position) error {
	if c.held != at {
		c.held, c.pos = noPosition, at
		if err := c.walk.forward(&c.pos, &c.rec); err != nil {
			return err
		}
		c.held, c.after = at, c.pos
	}
	c.pos, c.last = c.after, c.rec.stamp
	return nil
}

// add adds the metrics of the last record, and reports whether it holds a metric of the request.
func (m *memo) add(c *Cursor) (found bool) {
	at := c.pos
	at.off -= int64(len(c.rec.src))
	for heads := c.rec.heads(); heads.next(); {
		if _, ok := m.seen[heads.id]; ok {
			continue
		}
		m.seen[heads.id] = place{at, heads.start}
		// The requested metrics were not seen before, so they can only be new.
		found = found || c.want.has(heads.id)
	}
	return found
}
