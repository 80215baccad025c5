package archive

import (
	"encoding/binary"

	"pmtools/lib/pcp"
)

// valueSets goes over the heads of the value sets of a record.
type valueSets struct {
	src   []byte
	pos   int
	left  int
	start int // where the set begins
	id    pcp.ID
	count int32
}

// heads returns a walk over the heads of the value sets.
func (e *event) heads() valueSets { return valueSets{src: e.src, pos: e.first, left: e.nsets} }

// next goes to the next value set, as long as they lie in the record.
func (v *valueSets) next() bool {
	if v.left <= 0 || len(v.src)-4-v.pos < 8 {
		return false
	}
	v.left--
	v.start = v.pos
	head := v.src[v.pos : v.pos+8]
	v.id, v.count = pcp.ID(binary.BigEndian.Uint32(head)), int32(binary.BigEndian.Uint32(head[4:]))
	v.pos += 8
	if v.count > 0 {
		size := 4 + 8*int64(v.count)
		if size > int64(len(v.src)-4-v.pos) {
			v.left = 0
			return false
		}
		v.pos += int(size)
	}
	return true
}
