package mmv

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"pmtools/lib/pcp"
)

// Value reads a value from b, the present content of the file. now is the time, which counts for an
// interval that lasts. A missing value (see Sentinel) is not set. A string shares the memory of b.
//
// Values of type Elapsed are 64-bit integers.
func (f *File) Value(b []byte, v *Value, now time.Time) (pcp.Value, error) {
	if v.at > len(b)-valueSize || v.Metric >= len(f.Metrics) {
		return pcp.Value{}, fmt.Errorf("%w: no value at %#x", ErrFormat, v.at)
	}
	b, rest := b[v.at:v.at+valueSize], b
	word, extra := f.order.Uint64(b), int64(f.order.Uint64(b[8:]))
	value := pcp.Value{}
	switch t := f.Metrics[v.Metric].Type; t {
	case pcp.Int32:
		value = pcp.WordValue(t, uint64(int64(int32(f.order.Uint32(b)))))
	case pcp.Uint32, pcp.Float:
		value = pcp.WordValue(t, uint64(f.order.Uint32(b)))
	case pcp.Int64, pcp.Uint64, pcp.Double:
		value = pcp.WordValue(t, word)
	case Elapsed:
		if extra < 0 {
			word += uint64(now.UnixMicro() + extra)
		}
		value = pcp.WordValue(pcp.Int64, word)
	case pcp.String:
		s, err := f.stringAt(rest, uint64(extra))
		if err != nil {
			return pcp.Value{}, err
		}
		value = pcp.BlobValue(t, s)
	default:
		return pcp.Value{}, fmt.Errorf("%w: type %d", ErrFormat, t)
	}
	if f.Flags&Sentinel != 0 && none(value, word) {
		return pcp.Value{}, nil
	}
	return value, nil
}

func (f *File) stringAt(b []byte, at uint64) ([]byte, error) {
	if at >= uint64(len(b)) {
		return nil, fmt.Errorf("%w: string at %#x", ErrFormat, at)
	}
	s, _, _ := bytes.Cut(b[at:min(int(at)+stringSize, len(b))], []byte{0})
	return s, nil
}

// none reports whether a value stands for none: a float that is not a number, an empty string, an
// integer if all bits of the word are set that the file has for it, also for one of 32 bits.
func none(v pcp.Value, word uint64) bool {
	switch v.Type() {
	case pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64:
		return word == math.MaxUint64
	case pcp.Float:
		f := math.Float32frombits(uint32(v.Word()))
		return f != f
	case pcp.Double:
		return math.IsNaN(math.Float64frombits(v.Word()))
	case pcp.String:
		return len(v.Bytes()) == 0
	}
	return false
}
