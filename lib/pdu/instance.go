package pdu

import (
	"fmt"
	"math"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// An InstanceReq asks for instances of a domain; the answer is an Instance. With
// Inst and Name empty (pcp.NullInst, "") it asks for all of them, with one of the two it asks for
// the other.
type InstanceReq struct {
	InDom pcp.InDom
	Inst  int32
	Name  string
}

// Type implements Message.
func (*InstanceReq) Type() Type { return TypeInstanceReq }

// Encode implements Message.
func (src *InstanceReq) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeInstanceReq), uint32(src.InDom))
	dst = wire.AppendUint64(dst, 0)
	dst = wire.AppendInt32(dst, src.Inst)
	dst = wire.AppendUint32(dst, uint32(len(src.Name)))
	return end(appendString(dst, src.Name), start), nil
}

// Decode implements Message.
func (dst *InstanceReq) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = InstanceReq{InDom: pcp.InDom(r.Uint32())}
	r.Skip(8)
	dst.Inst = r.Int32()
	dst.Name = readString(&r, int(r.Int32()))
	return r.Finish()
}

// An Instance lists instances of a domain. The answer about one instance has one entry with the
// requested part; the other part is empty. Decoded names share one piece of memory.
type Instance struct {
	InDom     pcp.InDom
	Instances []pcp.Instance
}

// Type implements Message.
func (*Instance) Type() Type { return TypeInstance }

// Encode implements Message.
func (src *Instance) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	out := wire.AppendUint32(begin(dst, TypeInstance), uint32(src.InDom))
	out = wire.AppendUint32(out, uint32(len(src.Instances)))
	for _, i := range src.Instances {
		out = wire.AppendInt32(out, i.ID)
		out = wire.AppendUint32(out, uint32(len(i.Name)))
		out = appendString(out, i.Name)
	}
	if len(out)-start > math.MaxInt32 {
		return dst, fmt.Errorf("%w: instances of %d bytes", ErrFormat, len(out)-start)
	}
	return end(out, start), nil
}

// Decode implements Message.
func (dst *Instance) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Instance{InDom: pcp.InDom(r.Uint32())}
	n := r.Count(8)
	dst.Instances = make([]pcp.Instance, 0, n)
	text := newPack(r.Len() - 8*n)
	for range n {
		i := pcp.Instance{ID: r.Int32()}
		i.Name = text.read(&r, int(r.Int32()))
		dst.Instances = append(dst.Instances, i)
	}
	return r.Finish()
}
