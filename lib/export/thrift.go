package export

import (
	"encoding/binary"
	"errors"
)

// A thriftReader walks over all lengths in the metadata of a Parquet file, Thrift's compact protocol. The
// library allocates as many bytes and elements as a length says before it looks whether they are there: one
// wrong byte can ask for gigabytes.
type thriftReader struct {
	b     []byte
	items int // how many fields and elements there may be, each of which takes memory
}

var errThrift = errors.New("damaged metadata")

const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// thriftDepth limits nested structures. Those of Parquet are 6 deep.
const thriftDepth = 16

func (r *thriftReader) skip(n uint64) bool {
	if n > uint64(len(r.b)) {
		return false
	}
	r.b = r.b[n:]
	return true
}

func (r *thriftReader) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(r.b)
	return v, n > 0 && r.skip(uint64(n))
}

func (r *thriftReader) octet() (byte, bool) {
	if len(r.b) == 0 {
		return 0, false
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c, true
}

func (r *thriftReader) structure(depth int) bool {
	for {
		c, ok := r.octet()
		if !ok || c == thriftStop {
			return ok
		}
		if c>>4 == 0 { // the number of the field is not in the byte
			if _, ok := r.uvarint(); !ok {
				return false
			}
		}
		if t := c & 15; t != thriftTrue && t != thriftFalse && !r.value(t, depth) {
			return false
		}
		if r.items--; r.items < 0 {
			return false
		}
	}
}

// value walks over a value. A bool has a byte only as an element of a list.
func (r *thriftReader) value(t byte, depth int) bool {
	switch t {
	case thriftTrue, thriftFalse, thriftByte:
		return r.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, ok := r.uvarint()
		return ok
	case thriftDouble:
		return r.skip(8)
	case thriftBinary:
		n, ok := r.uvarint()
		return ok && r.skip(n)
	case thriftList, thriftSet:
		c, ok := r.octet()
		n := uint64(c >> 4)
		if ok && n == 15 {
			n, ok = r.uvarint()
		}
		return ok && r.elements(n, depth, c&15)
	case thriftMap:
		n, ok := r.uvarint()
		if !ok || n == 0 {
			return ok
		}
		c, ok := r.octet()
		return ok && r.elements(n, depth, c>>4, c&15)
	case thriftStruct:
		return depth < thriftDepth && r.structure(depth+1)
	}
	return false
}

func (r *thriftReader) elements(n uint64, depth int, types ...byte) bool {
	if n > uint64(r.items) || depth >= thriftDepth {
		return false
	}
	r.items -= int(n)
	for range n {
		for _, t := range types {
			if !r.value(t, depth+1) {
				return false
			}
		}
	}
	return true
}

// thriftLen returns the length of the structure at the start of b, of at most items fields and elements.
func thriftLen(b []byte, items int) (int, error) {
	r := thriftReader{b, items}
	if !r.structure(0) {
		return 0, errThrift
	}
	return len(b) - len(r.b), nil
}
