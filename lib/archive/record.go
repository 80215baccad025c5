package archive

import (
	"encoding/binary"
	"math"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// record is a data record of a volume (archive.md A8.1). It aliases the volume.
type record struct {
	src   []byte // length word, stamp, count, value sets and blocks, trailer
	stamp pcp.Timestamp
	nsets int // 0 for a mark
	first int // where the value sets begin
}

// recordBias is what the word index of a value block counts too much: the header of a
// message that is not there, less the length word (archive.md A8.2).
const recordBias = 2

// decode reads the record that src consists of, all but the value sets.
func (dst *record) decode(src []byte, version int) error {
	*dst = record{src: src}
	if len(src) < 12 {
		return pmerr.LogRec
	}
	r := wire.NewReader(src[4 : len(src)-4])
	dst.stamp = readStamp(&r, version)
	dst.nsets = int(r.Int32())
	dst.first = 4 + r.Offset()
	if r.Err() != nil || dst.nsets < 0 {
		return pmerr.LogRec
	}
	return nil
}

// sets returns a walk over the value sets.
func (r *record) sets() wire.Sets {
	return wire.NewSets(r.src, r.first, len(r.src)-4, r.nsets, recordBias)
}

// recordAt returns the bytes of the record that begins at offset off of data.
// They may be too few: need says how long data must be to tell more.
func recordAt(data []byte, off int64) (src []byte, need int64, err error) {
	if off+4 > int64(len(data)) {
		return nil, off + 4, nil
	}
	size := int64(binary.BigEndian.Uint32(data[off:]))
	switch {
	case size < 8 || size > math.MaxInt32:
		return nil, 0, pmerr.LogRec
	case off+size > int64(len(data)):
		return nil, off + size, nil
	case int64(binary.BigEndian.Uint32(data[off+size-4:])) != size:
		return nil, 0, pmerr.LogRec
	}
	return data[off : off+size : off+size], 0, nil
}

// recordBefore returns the bytes of the record that ends at offset end of data and
// begins not before offset first.
func recordBefore(data []byte, first, end int64) ([]byte, error) {
	size, ok := trailerBefore(data, end)
	if !ok || size < 8 || size > end-first || int64(binary.BigEndian.Uint32(data[end-size:])) != size {
		return nil, pmerr.LogRec
	}
	return data[end-size : end : end], nil
}

// trailerBefore returns the length in the trailer that ends at offset end of data.
func trailerBefore(data []byte, end int64) (size int64, ok bool) {
	if end < 4 || end > int64(len(data)) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint32(data[end-4:])), true
}
