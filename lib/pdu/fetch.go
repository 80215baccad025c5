package pdu

import (
	"fmt"
	"slices"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// A Fetch asks for the values of metrics; the answer is a Result. The profile sent last for the
// same Slot selects the instances.
type Fetch struct {
	Slot int32
	IDs  []pcp.ID
}

// A HighResFetch is a Fetch that is answered by a HighResResult.
type HighResFetch Fetch

// Type implements Message.
func (*Fetch) Type() Type { return TypeFetch }

// Encode implements Message.
func (src *Fetch) Encode(dst []byte) ([]byte, error) { return src.encode(dst, TypeFetch) }

// Type implements Message.
func (*HighResFetch) Type() Type { return TypeHighResFetch }

// Encode implements Message.
func (src *HighResFetch) Encode(dst []byte) ([]byte, error) {
	return (*Fetch)(src).encode(dst, TypeHighResFetch)
}

// Decode implements Message.
func (dst *HighResFetch) Decode(body []byte) error { return (*Fetch)(dst).Decode(body) }

func (src *Fetch) encode(dst []byte, t Type) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, t), src.Slot)
	dst = wire.AppendUint64(dst, 0)
	dst = appendIDs(dst, src.IDs)
	return end(dst, start), nil
}

// Decode implements Message.
func (dst *Fetch) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Fetch{Slot: r.Int32(), IDs: dst.IDs[:0]}
	r.Skip(8)
	if dst.IDs = readIDs(&r, dst.IDs); r.Err() == nil && len(dst.IDs) == 0 {
		return fmt.Errorf("%w: fetch of nothing", ErrFormat)
	}
	return r.Finish()
}

func appendIDs(dst []byte, ids []pcp.ID) []byte {
	dst = wire.AppendUint32(dst, uint32(len(ids)))
	for _, id := range ids {
		dst = wire.AppendUint32(dst, uint32(id))
	}
	return dst
}

func readIDs(r *wire.Reader, ids []pcp.ID) []pcp.ID {
	n := r.Count(4)
	ids = slices.Grow(ids, n)
	for range n {
		ids = append(ids, pcp.ID(r.Uint32()))
	}
	return ids
}
