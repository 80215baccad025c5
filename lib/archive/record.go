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
	nsets int   // 0 for a mark
	first int   // offset of the value sets
	at    int64 // time since the start of the Set, if a walker read the record
}

// recordBias is the offset of block indexes in words: they count a message header that records lack, less
// the length word (archive.md A8.2).
const recordBias = 2

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

func (r *record) check() error {
	sets := r.sets()
	for sets.Next() {
	}
	return sets.Err()
}

func (r *record) sets() wire.Sets {
	return wire.NewSets(r.src, r.first, len(r.src)-4, r.nsets, recordBias)
}

// setAt returns the value set at an offset.
func (r *record) setAt(set int) wire.Sets {
	return wire.NewSets(r.src, set, len(r.src)-4, 1, recordBias)
}

// valueSets iterates over the heads of value sets. It is faster than wire.Sets, which checks all values.
type valueSets struct {
	src   []byte
	pos   int
	left  int
	start int // offset of the set
	id    pcp.ID
	count int32
}

func (r *record) heads() valueSets { return valueSets{src: r.src, pos: r.first, left: r.nsets} }

// next advances to the next value set, as long as it lies in the record.
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

// recordAt returns the record at offset off of data. If data is too short, need is the length that would
// allow progress.
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

// recordBefore returns the record that ends at offset end of data and does not begin before offset first.
func recordBefore(data []byte, first, end int64) ([]byte, error) {
	size, ok := trailerBefore(data, end)
	if !ok || size < 8 || size > end-first || int64(binary.BigEndian.Uint32(data[end-size:])) != size {
		return nil, pmerr.LogRec
	}
	return data[end-size : end : end], nil
}

func trailerBefore(data []byte, end int64) (size int64, ok bool) {
	if end < 4 || end > int64(len(data)) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint32(data[end-4:])), true
}

// stored returns the recorded identifier of a metric: a derived metric gets a mark (archive.md A11.9).
func stored(id pcp.ID) pcp.ID {
	if id.IsDerived() {
		return id | 2048<<10
	}
	return id
}

func appendMark(dst []byte, version int, t pcp.Timestamp) []byte {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = binary.BigEndian.AppendUint32(dst, 0)
	return endRecord(dst, start)
}

// appendRecord appends a data record (archive.md A8). If a value cannot be encoded, dst is returned
// unchanged with an error.
func appendRecord(dst []byte, version int, t pcp.Timestamp, sets []pcp.Values, floatInSitu bool) ([]byte, error) {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(sets)))
	w := wire.SetWriter{Bias: recordBias, ID: stored, FloatInSitu: floatInSitu}
	dst, err := w.Append(dst, start, sets)
	if err != nil {
		return dst[:start], err
	}
	return endRecord(dst, start), nil
}
