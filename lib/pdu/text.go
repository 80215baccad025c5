package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// A TextReq asks for a help text; the answer is a Text.
type TextReq struct {
	Ident uint32 // a metric, or an instance domain
	InDom bool
	Kind  pcp.TextKind
}

const (
	textPMID  = 4
	textInDom = 8
)

// Type implements Message.
func (*TextReq) Type() Type { return TypeTextReq }

// Encode implements Message.
func (src *TextReq) Encode(dst []byte) ([]byte, error) {
	kind := uint32(src.Kind) | textPMID
	if src.InDom {
		kind = uint32(src.Kind) | textInDom
	}
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeTextReq), src.Ident)
	return end(wire.AppendUint32(dst, kind), start), nil
}

// Decode implements Message.
func (dst *TextReq) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = TextReq{Ident: r.Uint32()}
	kind := r.Uint32()
	if err := r.Finish(); err != nil {
		return err
	}
	dst.Kind, dst.InDom = pcp.TextKind(kind&3), kind&textInDom != 0
	about := kind &^ 3
	if dst.Kind != pcp.OneLine && dst.Kind != pcp.Help || about != textPMID && about != textInDom {
		return fmt.Errorf("%w: text type %d", ErrFormat, kind)
	}
	return nil
}

// A Text is a help text. Ident cannot be trusted: agents send it in their own byte order.
type Text struct {
	Ident uint32
	Text  string
}

// Type implements Message.
func (*Text) Type() Type { return TypeText }

// Encode implements Message.
func (src *Text) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeText), src.Ident)
	dst = wire.AppendUint32(dst, uint32(len(src.Text)))
	return end(appendString(dst, src.Text), start), nil
}

// Decode implements Message.
func (dst *Text) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Text{Ident: r.Uint32()}
	dst.Text = readString(&r, int(r.Int32()))
	return r.Finish()
}
