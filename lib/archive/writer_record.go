package archive

import (
	"fmt"
	"math"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The ways in which a value set holds its values (archive.md A8.2).
const (
	formatInSitu  = 0
	formatPointer = 1
)

// maxBlob is the most that fits into a value block, whose length has 24 bits and
// counts its own word.
const maxBlob = 0xffffff - 4

// stored returns the identifier under which a metric is recorded: that of a
// derived metric has a mark (archive.md A11.9).
func stored(id pcp.ID) pcp.ID {
	if id.IsDerived() {
		return id | 2048<<10
	}
	return id
}

// AppendRecord appends a data record with the columns of r (archive.md A8). An
// error is a value that has no place in a record; dst is then returned as it was.
func AppendRecord(dst []byte, version int, r *pcp.Result) ([]byte, error) {
	return appendRecord(dst, version, r.Time, r.Sets, false)
}

// AppendMark appends a mark record.
func AppendMark(dst []byte, version int, t pcp.Timestamp) []byte {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = be.AppendUint32(dst, 0)
	return endRecord(dst, start)
}

// appendRecord appends a data record: time, number of sets, the sets, and then
// the value blocks to which they point.
func appendRecord(dst []byte, version int, t pcp.Timestamp, sets []pcp.Values, floatInSitu bool) ([]byte, error) {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = be.AppendUint32(dst, uint32(len(sets)))
	block := len(dst) - start // where the next value block will begin in the record
	for i := range sets {
		v := &sets[i]
		if err := checkValues(v, floatInSitu); err != nil {
			return dst[:start], fmt.Errorf("metric %v: %w", v.ID, err)
		}
		block += 8
		if v.Len() > 0 {
			block += 4 + 8*v.Len()
		}
	}
	for i := range sets {
		dst, block = appendSet(dst, &sets[i], floatInSitu, block)
	}
	if block > math.MaxInt32-4 {
		return dst[:start], fmt.Errorf("%w: record of %d bytes", pmerr.TooBig, block)
	}
	for i := range sets {
		if v := &sets[i]; v.Len() > 0 && !inSitu(v, 0, floatInSitu) {
			for k := range v.Insts {
				dst = appendBlock(dst, v, k)
			}
		}
	}
	return endRecord(dst, start), nil
}

// checkValues finds what in a column cannot be recorded.
func checkValues(v *pcp.Values, floatInSitu bool) error {
	n := v.Len()
	switch {
	case v.Err > 0:
		return fmt.Errorf("%w: error code %d", pmerr.EINVAL, int32(v.Err))
	case v.Err != 0 && n > 0:
		return fmt.Errorf("%w: values beside an error", pmerr.EINVAL)
	case n == 0:
		return nil
	case v.Odd != nil && len(v.Odd) != n:
		return fmt.Errorf("%w: %d instances, %d odd values", pmerr.EINVAL, n, len(v.Odd))
	case v.Type.Arithmetic() && len(v.Words) != n:
		return fmt.Errorf("%w: %d instances, %d words", pmerr.EINVAL, n, len(v.Words))
	case !v.Type.Arithmetic() && len(v.Blobs) != n:
		return fmt.Errorf("%w: %d instances, %d blobs", pmerr.EINVAL, n, len(v.Blobs))
	}
	format := inSitu(v, 0, floatInSitu)
	for i := range v.Insts {
		t, size := v.Type, blobSize(v, i)
		if v.Odd != nil && v.Odd[i].Bad {
			t = v.Odd[i].Type
		}
		switch {
		case inSitu(v, i, floatInSitu) != format:
			return fmt.Errorf("%w: values both in place and in blocks", pmerr.EINVAL)
		case !format && (t < 0 || t > 255):
			return fmt.Errorf("%w: %v", pmerr.Type, t)
		case size > maxBlob:
			return fmt.Errorf("%w: value of %d bytes", pmerr.TooBig, size)
		case !format && (t == pcp.Event || t == pcp.HighResEvent) && !wire.FitEvents(t, blob(v, i)):
			return fmt.Errorf("%w: event records longer than the value", pmerr.EINVAL)
		}
	}
	return nil
}

// inSitu reports whether value i stands in the value set itself.
func inSitu(v *pcp.Values, i int, floatInSitu bool) bool {
	if v.Odd != nil && v.Odd[i].Bad {
		return v.Odd[i].InSitu
	}
	return v.Type == pcp.Int32 || v.Type == pcp.Uint32 || floatInSitu && v.Type == pcp.Float
}

// blobSize returns the size of the data in the value block of value i.
func blobSize(v *pcp.Values, i int) int {
	switch {
	case v.Odd != nil && v.Odd[i].Bad:
		return len(blob(v, i))
	case v.Type == pcp.Int32 || v.Type == pcp.Uint32 || v.Type == pcp.Float:
		return 4
	case v.Type.Arithmetic():
		return 8
	case v.Type == pcp.String:
		return len(v.Blobs[i]) + 1
	}
	return len(blob(v, i))
}

// blob returns the bytes of value i, which is odd or no number.
func blob(v *pcp.Values, i int) []byte {
	if v.Odd != nil && v.Odd[i].Bad {
		return v.Odd[i].Blob
	}
	return v.Blobs[i]
}

// appendSet appends a value set whose first value block begins at byte block of
// the record, and returns where the next set's first one begins.
func appendSet(dst []byte, v *pcp.Values, floatInSitu bool, block int) ([]byte, int) {
	dst = be.AppendUint32(dst, uint32(stored(v.ID)))
	if v.Len() == 0 {
		return be.AppendUint32(dst, uint32(v.Err)), block
	}
	dst = be.AppendUint32(dst, uint32(v.Len()))
	if inSitu(v, 0, floatInSitu) {
		dst = be.AppendUint32(dst, formatInSitu)
		for i, inst := range v.Insts {
			word := uint32(0)
			if v.Odd != nil && v.Odd[i].Bad {
				word = v.Odd[i].Word
			} else {
				word = uint32(v.Words[i])
			}
			dst = be.AppendUint32(dst, uint32(inst))
			dst = be.AppendUint32(dst, word)
		}
		return dst, block
	}
	dst = be.AppendUint32(dst, formatPointer)
	for i, inst := range v.Insts {
		dst = be.AppendUint32(dst, uint32(inst))
		dst = be.AppendUint32(dst, uint32(block/4+2)) // counts as if two more words stood in front
		block += 4 + (blobSize(v, i)+3)/4*4
	}
	return dst, block
}

// appendBlock appends the value block of value i: type and length in one word,
// the data, and padding to whole words.
func appendBlock(dst []byte, v *pcp.Values, i int) []byte {
	size, t := blobSize(v, i), v.Type
	odd := v.Odd != nil && v.Odd[i].Bad
	if odd {
		t = v.Odd[i].Type
	}
	dst = be.AppendUint32(dst, uint32(t)<<24|uint32(size+4))
	switch {
	case odd:
		dst = append(dst, v.Odd[i].Blob...)
	case t == pcp.Float:
		dst = be.AppendUint32(dst, uint32(v.Words[i]))
	case t.Arithmetic():
		dst = be.AppendUint64(dst, v.Words[i])
	default:
		dst = append(dst, v.Blobs[i]...)
		if t == pcp.String {
			dst = append(dst, 0)
		}
	}
	for ; size%4 != 0; size++ {
		dst = append(dst, '~')
	}
	return dst
}
