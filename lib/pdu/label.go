package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// NullIdent stands for the context in a LabelReq.
const NullIdent = 0xffffffff

// A LabelReq asks for the labels of one level; the answer is a Label with the same Ident and Kind.
type LabelReq struct {
	Ident uint32 // NullIdent, a domain, an instance domain, or a metric (of item 0 for a cluster)
	Kind  pcp.LabelKind
}

// Type implements Message.
func (*LabelReq) Type() Type { return TypeLabelReq }

// Encode implements Message.
func (src *LabelReq) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeLabelReq), src.Ident)
	return end(wire.AppendUint32(dst, uint32(src.Kind)), start), nil
}

// Decode implements Message.
func (dst *LabelReq) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = LabelReq{r.Uint32(), pcp.LabelKind(r.Uint32())}
	return r.Finish()
}

// A Label holds the labels of an object: one set or none, and for instances one set for each.
type Label struct {
	Ident uint32
	Kind  pcp.LabelKind
	Sets  []pcp.LabelSet
}

// Type implements Message.
func (*Label) Type() Type { return TypeLabel }

const setSize = 16

// Encode implements Message.
func (src *Label) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	out := wire.AppendUint32(begin(dst, TypeLabel), src.Ident)
	out = wire.AppendUint32(out, uint32(src.Kind))
	out = wire.AppendUint32(out, 0)
	out = wire.AppendUint32(out, uint32(len(src.Sets)))
	json := len(out) - start // offset of the next text
	for i := range src.Sets {
		json += setSize
		if src.Sets[i].Err == nil {
			json += wire.LabelSize * len(src.Sets[i].Labels)
		}
	}
	var texts []byte
	for i := range src.Sets {
		set, inst := &src.Sets[i], pcp.NullInst
		if src.Kind == pcp.InstanceLabels {
			inst = set.Inst
		}
		text, where, err := wire.EncodeLabels(set.Labels)
		count := int32(len(where) / wire.LabelSize)
		switch {
		case set.Err != nil:
			text, where, err, count = nil, nil, nil, int32(pmerr.Of(set.Err))
		case count == 0 && err == nil:
			text = nil // an empty set has no text, not even the braces of an object
		}
		if err != nil {
			return dst, err
		}
		out = wire.AppendInt32(out, inst)
		out = wire.AppendInt32(out, count)
		out = wire.AppendUint32(out, uint32(json+len(texts)))
		out = wire.AppendUint32(out, uint32(len(text)))
		out = append(out, where...)
		texts = append(texts, text...)
	}
	return end(append(out, texts...), start), nil
}

// Decode implements Message.
func (dst *Label) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Label{Ident: r.Uint32(), Kind: pcp.LabelKind(r.Uint32())}
	r.Skip(4)
	texts := 0 // bytes of the texts so far; they fill the message from the sets to its end
	n := r.Count(setSize)
	dst.Sets = make([]pcp.LabelSet, 0, n)
	for range n {
		set := pcp.LabelSet{Inst: r.Int32()}
		size, err := readSet(&r, &set, body)
		if err != nil {
			return err
		}
		if texts += size; texts > r.Len() {
			return fmt.Errorf("%w: texts of labels have %d bytes, %d are left", ErrFormat, texts, r.Len())
		}
		if dst.Kind != pcp.InstanceLabels {
			set.Inst = pcp.NullInst
		}
		dst.Sets = append(dst.Sets, set)
	}
	r.Skip(texts)
	return r.Finish()
}

// readSet takes a label set, whose text lies elsewhere in body, and returns the size of the text.
func readSet(r *wire.Reader, set *pcp.LabelSet, body []byte) (size int, err error) {
	count, offset := r.Int32(), int64(r.Int32())-HeaderSize
	size = int(r.Int32())
	switch {
	case r.Err() != nil:
		return 0, r.Err()
	case count > wire.MaxLabels || size < 0 || size > wire.MaxLabelJSON:
		return 0, fmt.Errorf("%w: label set of %d labels, %d bytes", ErrFormat, count, size)
	case count < 0:
		set.Err = pmerr.Code(count)
		return size, nil
	case size == 0:
		offset = 0 // a set without text has offset 0
	}
	where := r.Bytes(wire.LabelSize * int(count))
	if r.Err() != nil {
		return 0, r.Err()
	}
	if offset < 0 || offset+int64(size) > int64(len(body)) {
		return 0, fmt.Errorf("%w: label set of %d bytes at %d", ErrFormat, size, offset)
	}
	set.Labels, err = wire.DecodeLabels(string(body[offset:offset+int64(size)]), where)
	return size, err
}
