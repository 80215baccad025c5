package pdu

import (
	"pmtools/lib/internal/wire"
	"pmtools/lib/pmerr"
)

// An Error is a status: the answer to a store, a refusal of any request, or the greeting with which
// a daemon begins. Before a fetch result a positive Code has the bits of changes.
type Error struct {
	Code     pmerr.Code
	Greeting bool   // the message has Info
	Info     uint32 // version and features of a daemon (wire.md W3.1)
}

// Type implements Message.
func (*Error) Type() Type { return TypeError }

// Encode implements Message.
func (src *Error) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, TypeError), int32(src.Code))
	if src.Greeting {
		dst = wire.AppendUint32(dst, src.Info)
	}
	return end(dst, start), nil
}

// Decode implements Message.
func (dst *Error) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Error{Code: pmerr.Code(r.Int32())}
	if dst.Greeting = r.Len() > 0; dst.Greeting {
		dst.Info = r.Uint32()
	}
	return r.Finish()
}
