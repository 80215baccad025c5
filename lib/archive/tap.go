package archive

import (
	"cmp"
	"context"
	"runtime/debug"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Place is where a record of a Set ends. It is valid in other Sets that were opened from the same
// files, too.
type Place struct {
	Member int // index of the archive in Members
	volume int
	off    int64
	gap    int8
}

// Compare returns -1, 0 or 1: whether p comes before other, is the same, or comes after it.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Member, other.Member), cmp.Compare(p.gap, other.gap),
		cmp.Compare(p.volume, other.volume), cmp.Compare(p.off, other.off))
}

// A Raw is a record as it is stored.
type Raw struct {
	Time  pcp.Timestamp
	Place Place
	Body  []byte // value sets and blocks, valid until the next read; nil for a mark
}

// Tap makes the Cursor call f for each record and mark that it reads, of metrics that were asked
// for or not. Nil ends that.
func (c *Cursor) Tap(f func(*Raw)) { c.tap = f }

// Skip reads the next record or mark without its values. In the mode Interp it returns pmerr.Mode.
func (c *Cursor) Skip(ctx context.Context) (err error) {
	if c.mode == pcp.Interp {
		return pmerr.Mode
	}
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	c.walk.ctx = ctx
	if err := c.read(); err != nil {
		return err
	}
	c.origin = c.rec.stamp
	return nil
}

func (c *Cursor) tapped() {
	raw := Raw{Time: c.rec.stamp, Place: Place{c.pos.member, c.pos.volume, c.pos.off, c.pos.gap}}
	if c.rec.nsets > 0 {
		raw.Body = c.rec.src[c.rec.first : len(c.rec.src)-4]
	}
	c.tap(&raw)
}

// A Member is an archive of a Set.
type Member struct {
	Name  string // as it was given to Open
	Label Label
}

// Members returns the archives of the Set, in the order of their times.
func (s *Set) Members() []Member {
	list := make([]Member, len(s.members))
	for i, m := range s.members {
		list[i] = Member{m.name, m.label}
	}
	return list
}

// Mixed reports whether a volume that was read is not one of its archive: another archive has taken the name since
// the Set was opened.
func (s *Set) Mixed() bool {
	for _, m := range s.members {
		for _, v := range m.volumes {
			if l, ok := v.read(); ok && (l.PID != m.label.PID || l.Host != m.label.Host) {
				return true
			}
		}
	}
	return false
}
