package pdu

import (
	"fmt"
	"math"
	"slices"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The status of a node of the name space.
const (
	Leaf    int32 = 0
	NonLeaf int32 = 1
)

// Names are metric names: a question for their identifiers, which IDs answers, or the answer to a
// Child, a Traverse or an IDs. The answer to a Child of a leaf has no names. Decoded names share
// one piece of memory, and none is empty.
type Names struct {
	Names  []string
	Status []int32    // Leaf or NonLeaf for each name; nil unless the question had Status set
	Err    pmerr.Code // the refusal, in place of names
}

// Type implements Message.
func (*Names) Type() Type { return TypeNames }

// Encode implements Message.
func (src *Names) Encode(dst []byte) ([]byte, error) {
	if src.Status != nil && len(src.Status) != len(src.Names) {
		return dst, fmt.Errorf("%w: %d names, status of %d", pmerr.EINVAL, len(src.Names), len(src.Status))
	}
	if src.Err > 0 || src.Err < 0 && len(src.Names) > 0 {
		return dst, fmt.Errorf("%w: %d names beside error %d", pmerr.EINVAL, len(src.Names), int32(src.Err))
	}
	start, size := len(dst), 0
	for _, n := range src.Names {
		size += len(n) + 1
	}
	dst = slices.Grow(dst, HeaderSize+12+size+10*len(src.Names)) // with lengths, padding and status
	count := int32(len(src.Names))
	if src.Err != 0 {
		count = int32(src.Err)
	}
	out := wire.AppendUint32(begin(dst, TypeNames), uint32(size))
	out = wire.AppendUint32(out, uint32(len(src.Status)))
	out = wire.AppendInt32(out, count)
	for i, n := range src.Names {
		if src.Status != nil {
			out = wire.AppendInt32(out, src.Status[i])
		}
		out = wire.AppendUint32(out, uint32(len(n)))
		out = appendString(out, n)
	}
	if len(out)-start > math.MaxInt32 {
		return dst, fmt.Errorf("%w: names of %d bytes", ErrFormat, len(out)-start)
	}
	return end(out, start), nil
}

// Decode implements Message.
func (dst *Names) Decode(body []byte) error {
	*dst = Names{}
	r := wire.NewReader(body)
	size, status, n := r.Int32(), r.Int32(), r.Int32()
	if r.Err() != nil {
		return r.Err()
	}
	if n < 0 {
		dst.Err = pmerr.Code(n)
		return nil
	}
	if status != 0 && status != n || int(n) > r.Len()/4 || size < 0 || int(size) > r.Len()+int(n) {
		return fmt.Errorf("%w: %d names, status of %d, in %d bytes", ErrFormat, n, status, r.Len())
	}
	dst.Names = make([]string, 0, n)
	text := newPack(min(int(size-n), r.Len()))
	if status != 0 {
		dst.Status = make([]int32, 0, n)
	}
	for range n {
		if status != 0 {
			dst.Status = append(dst.Status, r.Int32())
		}
		name := text.read(&r, int(r.Int32()))
		if name == "" {
			r.Fail("empty name")
			break
		}
		dst.Names = append(dst.Names, name)
		size -= int32(len(name)) + 1
	}
	if r.Err() == nil && size != 0 {
		return fmt.Errorf("%w: names are %d bytes longer than said", ErrFormat, -size)
	}
	return r.Finish()
}

// IDs are identifiers of metrics: the answer to Names, in their order, with NullID for unknown
// names, and Status says how many are known; or, with one metric and status 0, the question for its
// names.
type IDs struct {
	Status int32
	IDs    []pcp.ID
}

// Type implements Message.
func (*IDs) Type() Type { return TypeIDs }

// Encode implements Message.
func (src *IDs) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, TypeIDs), src.Status)
	return end(appendIDs(dst, src.IDs), start), nil
}

// Decode implements Message.
func (dst *IDs) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = IDs{Status: r.Int32(), IDs: dst.IDs[:0]}
	dst.IDs = readIDs(&r, dst.IDs)
	return r.Finish()
}

// A Child asks for the names directly below a node, "" being the root; the answer is Names,
// relative to the node.
type Child struct {
	Name   string
	Status bool // ask for the status of each name too
}

// Type implements Message.
func (*Child) Type() Type { return TypeChild }

// Encode implements Message.
func (src *Child) Encode(dst []byte) ([]byte, error) {
	return encodeNode(dst, TypeChild, state(src.Status), src.Name), nil
}

// Decode implements Message.
func (dst *Child) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Child{Status: r.Uint32() != 0}
	dst.Name = readString(&r, int(r.Int32()))
	return r.Finish()
}

// A Traverse asks for the full names of all leaves below a node; the answer is Names.
type Traverse struct{ Name string }

// Type implements Message.
func (*Traverse) Type() Type { return TypeTraverse }

// Encode implements Message.
func (src *Traverse) Encode(dst []byte) ([]byte, error) {
	return encodeNode(dst, TypeTraverse, 0, src.Name), nil
}

// Decode implements Message.
func (dst *Traverse) Decode(body []byte) error {
	r := wire.NewReader(body)
	r.Skip(4)
	*dst = Traverse{readString(&r, int(r.Int32()))}
	return r.Finish()
}

func encodeNode(dst []byte, t Type, subtype uint32, name string) []byte {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, t), subtype)
	dst = wire.AppendUint32(dst, uint32(len(name)))
	return end(appendString(dst, name), start)
}
