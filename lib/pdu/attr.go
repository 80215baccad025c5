package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
)

// An AttrCode is the kind of an attribute of a connection.
type AttrCode int32

// The attributes that are sent.
const (
	AttrSASL      AttrCode = 0 // a step of authentication
	AttrUser      AttrCode = 5
	AttrUserID    AttrCode = 11
	AttrGroupID   AttrCode = 12
	AttrProcessID AttrCode = 14
	AttrContainer AttrCode = 15
)

// maxAttr and maxSASL exceed by one the longest value of an attribute and the longest step of
// authentication.
const (
	maxAttr = 4096
	maxSASL = 2048
)

// An Attr is an attribute of a connection, or a step of authentication. An attribute has no answer
// of its own.
type Attr struct {
	Code  AttrCode
	Value []byte
}

// Type implements Message.
func (*Attr) Type() Type { return TypeAttr }

// Encode implements Message.
func (src *Attr) Encode(dst []byte) ([]byte, error) {
	if err := src.check(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, TypeAttr), int32(src.Code))
	return end(append(dst, src.Value...), start), nil
}

// Decode implements Message.
func (dst *Attr) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Attr{Code: AttrCode(r.Int32())}
	dst.Value = append([]byte{}, r.Bytes(r.Len())...)
	if err := r.Finish(); err != nil {
		return err
	}
	return dst.check()
}

func (a *Attr) check() error {
	limit := maxAttr
	if a.Code == AttrSASL {
		limit = maxSASL
	}
	if len(a.Value) >= limit {
		return fmt.Errorf("%w: attribute of %d bytes", ErrFormat, len(a.Value))
	}
	return nil
}
