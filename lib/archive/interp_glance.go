package archive

import (
	"encoding/binary"

	"pmtools/lib/internal/wire"
)

// Over large records most of the way is passed over, and each glance at one through
// the mapping costs a page of memory that has to be mapped. It is cheaper to read
// the few bytes.

// glanceSize is the size of records from which on they are glanced at.
const glanceSize = 16 << 10

// glanceBytes are the trailer of a record, and the head of the next one as far as
// its number of sets.
const glanceBytes = 4 + 4 + 12 + 4

// glance is next upward for who wants to know only the time and whether it is a mark:
// among large records it leaves dst.src nil.
func (w *walker) glance(p *spot, dst *event) error {
	if size := int64(len(dst.src)) + w.glanced; p.gap == 0 && size >= glanceSize {
		if w.glanceAt(p, dst, size) {
			return nil
		}
	}
	w.glanced = 0
	return w.next(true, p, dst)
}

// glanceAt reads the head of the record at p, which stands behind one of the given
// size, and reports whether all is as it should be.
func (w *walker) glanceAt(p *spot, dst *event, size int64) bool {
	s := w.scan
	if at := p.position(); s.load(&at) != nil || p.off-size < s.label || p.off > int64(len(s.data))-glanceBytes {
		return false
	}
	var buf [glanceBytes]byte
	if !s.cont.readAt(buf[:], p.off-4) {
		return false
	}
	next := int64(binary.BigEndian.Uint32(buf[4:]))
	if int64(binary.BigEndian.Uint32(buf[:])) != size || next < glanceSize || next > int64(len(s.data))-p.off {
		return false
	}
	r := wire.NewReader(buf[8:])
	dst.record = record{stamp: readStamp(&r, s.vol.label.Version)}
	dst.nsets = int(r.Int32())
	if dst.nsets <= 0 {
		return false
	}
	dst.at = w.rel(dst.stamp)
	p.off += next
	w.glanced = next
	return true
}
