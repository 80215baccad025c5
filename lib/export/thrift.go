package export

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// A thriftWalk walks over the metadata of a Parquet file, Thrift's compact protocol. The library allocates as many
// elements as a list says before it looks whether they are there: one wrong byte can ask for gigabytes.
type thriftWalk struct {
	thrift.Reader
	items int // how many fields and elements there may be, each of which takes memory
}

var errThrift = errors.New("damaged metadata")

// thriftDepth limits nested structures. Those of Parquet are 6 deep.
const thriftDepth = 16

func (w *thriftWalk) structure(depth int) error {
	for {
		f, err := w.ReadField()
		if err != nil || f.Type == thrift.STOP {
			return err
		}
		if f.Type != thrift.TRUE && f.Type != thrift.FALSE { // these have no bytes but in a list
			err = w.value(f.Type, depth)
		}
		if w.items--; err != nil || w.items < 0 {
			return errThrift
		}
	}
}

// value walks over a value. Parquet has no maps.
func (w *thriftWalk) value(t thrift.Type, depth int) (err error) {
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes()
	case thrift.LIST, thrift.SET:
		return w.list(depth + 1)
	case thrift.STRUCT:
		if depth < thriftDepth {
			return w.structure(depth + 1)
		}
		return errThrift
	default:
		return errThrift
	}
	return err
}

func (w *thriftWalk) list(depth int) error {
	l, err := w.ReadList()
	if w.items -= int(l.Size); err != nil || w.items < 0 || depth > thriftDepth {
		return errThrift
	}
	for range l.Size {
		if err := w.value(l.Type, depth); err != nil {
			return err
		}
	}
	return nil
}

// thriftLen returns the length of the structure at the start of b, of at most items fields and elements.
func thriftLen(b []byte, items int) (int, error) {
	w := thriftWalk{new(thrift.CompactProtocol).NewReaderFromBytes(b), items}
	if err := w.structure(0); err != nil {
		return 0, errThrift
	}
	return w.BytesRead(), nil
}
