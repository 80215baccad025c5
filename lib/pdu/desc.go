package pdu

import (
	"fmt"
	"slices"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// A DescReq asks for the description of a metric; the answer is a Desc.
type DescReq struct{ ID pcp.ID }

// Type implements Message.
func (*DescReq) Type() Type { return TypeDescReq }

// Encode implements Message.
func (src *DescReq) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	return end(wire.AppendUint32(begin(dst, TypeDescReq), uint32(src.ID)), start), nil
}

// Decode implements Message.
func (dst *DescReq) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = DescReq{pcp.ID(r.Uint32())}
	return r.Finish()
}

// A Desc is the description of a metric.
type Desc struct{ Desc pcp.Desc }

// Type implements Message.
func (*Desc) Type() Type { return TypeDesc }

// Encode implements Message.
func (src *Desc) Encode(dst []byte) ([]byte, error) {
	start, d := len(dst), &src.Desc
	dst = wire.AppendUint32(begin(dst, TypeDesc), uint32(d.ID))
	return end(appendDesc(dst, d), start), nil
}

// Decode implements Message.
func (dst *Desc) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Desc{readDesc(&r)}
	return r.Finish()
}

// appendDesc appends a description without the metric's identifier.
func appendDesc(dst []byte, d *pcp.Desc) []byte {
	dst = wire.AppendInt32(dst, int32(d.Type))
	dst = wire.AppendUint32(dst, uint32(d.InDom))
	dst = wire.AppendInt32(dst, int32(d.Sem))
	return wire.AppendUint32(dst, d.Units.Word())
}

func readDesc(r *wire.Reader) pcp.Desc {
	return pcp.Desc{ID: pcp.ID(r.Uint32()), Type: pcp.Type(r.Int32()), InDom: pcp.InDom(r.Uint32()),
		Sem: pcp.Sem(r.Int32()), Units: pcp.UnitsOf(r.Uint32())}
}

// DescIDs asks for the descriptions of metrics; the answer is Descs.
type DescIDs struct{ IDs []pcp.ID }

// Type implements Message.
func (*DescIDs) Type() Type { return TypeDescIDs }

// Encode implements Message.
func (src *DescIDs) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, TypeDescIDs), -1)
	return end(appendIDs(dst, src.IDs), start), nil
}

// Decode implements Message.
func (dst *DescIDs) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = DescIDs{dst.IDs[:0]}
	if word := r.Int32(); r.Err() == nil && word != -1 {
		return fmt.Errorf("%w: %d where -1 belongs", ErrFormat, word)
	}
	if dst.IDs = readIDs(&r, dst.IDs); r.Err() == nil && len(dst.IDs) == 0 {
		return fmt.Errorf("%w: descriptions of nothing", ErrFormat)
	}
	return r.Finish()
}

// Descs are descriptions, in the order of the request. A missing one has the identifier
// NullID.
type Descs struct{ Descs []pcp.Desc }

// Type implements Message.
func (*Descs) Type() Type { return TypeDescs }

// Encode implements Message.
func (src *Descs) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeDescs), uint32(len(src.Descs)))
	for i := range src.Descs {
		dst = wire.AppendUint32(dst, uint32(src.Descs[i].ID))
		dst = appendDesc(dst, &src.Descs[i])
	}
	return end(dst, start), nil
}

// Decode implements Message.
func (dst *Descs) Decode(body []byte) error {
	r := wire.NewReader(body)
	n := r.Count(20)
	*dst = Descs{slices.Grow(dst.Descs[:0], n)}
	for range n {
		dst.Descs = append(dst.Descs, readDesc(&r))
	}
	return r.Finish()
}
