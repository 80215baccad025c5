// Package pdu encodes and decodes the protocol of the metrics daemon: it has one struct for each
// protocol data unit that clients, the daemon and its agents exchange, and the framing around them.
//
// A [Message] encodes itself as a whole, header included, and decodes its body. A [Reader] takes
// messages off a stream, each as a [Frame], whose Type says which struct its body is.
//
// Bodies come from the network: every length, count and offset is checked, and a body that does not
// fit is an error that wraps [ErrFormat]. Decoded messages own their memory.
package pdu

import (
	"fmt"
	"strings"

	"pmtools/lib/internal/wire"
)

// ErrFormat is wrapped by the errors of all decoders.
var ErrFormat error = wire.ErrFormat

// A Type is the kind of a message, with the protocol's number.
type Type int32

// The types.
const (
	TypeError         Type = 0x7000
	TypeResult        Type = 0x7001
	TypeProfile       Type = 0x7002
	TypeFetch         Type = 0x7003
	TypeDescReq       Type = 0x7004
	TypeDesc          Type = 0x7005
	TypeInstanceReq   Type = 0x7006
	TypeInstance      Type = 0x7007
	TypeTextReq       Type = 0x7008
	TypeText          Type = 0x7009
	TypeCreds         Type = 0x700c
	TypeIDs           Type = 0x700d
	TypeNames         Type = 0x700e
	TypeChild         Type = 0x700f
	TypeTraverse      Type = 0x7010
	TypeAttr          Type = 0x7011
	TypeLabelReq      Type = 0x7012
	TypeLabel         Type = 0x7013
	TypeHighResFetch  Type = 0x7014
	TypeHighResResult Type = 0x7015
	TypeDescIDs       Type = 0x7016
	TypeDescs         Type = 0x7017
)

// types are the types from TypeError on: their names in the reference's debugging output, and their messages.
var types = [...]struct {
	name string
	make func() Message
}{
	0:                             {"ERROR", func() Message { return new(Error) }},
	TypeResult - TypeError:        {"RESULT", func() Message { return new(Result) }},
	TypeProfile - TypeError:       {"PROFILE", func() Message { return new(Profile) }},
	TypeFetch - TypeError:         {"FETCH", func() Message { return new(Fetch) }},
	TypeDescReq - TypeError:       {"DESC_REQ", func() Message { return new(DescReq) }},
	TypeDesc - TypeError:          {"DESC", func() Message { return new(Desc) }},
	TypeInstanceReq - TypeError:   {"INSTANCE_REQ", func() Message { return new(InstanceReq) }},
	TypeInstance - TypeError:      {"INSTANCE", func() Message { return new(Instance) }},
	TypeTextReq - TypeError:       {"TEXT_REQ", func() Message { return new(TextReq) }},
	TypeText - TypeError:          {"TEXT", func() Message { return new(Text) }},
	TypeCreds - TypeError:         {"CREDS", func() Message { return new(Creds) }},
	TypeIDs - TypeError:           {"PMNS_IDS", func() Message { return new(IDs) }},
	TypeNames - TypeError:         {"PMNS_NAMES", func() Message { return new(Names) }},
	TypeChild - TypeError:         {"PMNS_CHILD", func() Message { return new(Child) }},
	TypeTraverse - TypeError:      {"PMNS_TRAVERSE", func() Message { return new(Traverse) }},
	TypeAttr - TypeError:          {"ATTR", func() Message { return new(Attr) }},
	TypeLabelReq - TypeError:      {"LABEL_REQ", func() Message { return new(LabelReq) }},
	TypeLabel - TypeError:         {"LABEL", func() Message { return new(Label) }},
	TypeHighResFetch - TypeError:  {"HIGHRES_FETCH", func() Message { return new(HighResFetch) }},
	TypeHighResResult - TypeError: {"HIGHRES_RESULT", func() Message { return new(HighResResult) }},
	TypeDescIDs - TypeError:       {"DESC_IDS", func() Message { return new(DescIDs) }},
	TypeDescs - TypeError:         {"DESCS", func() Message { return new(Descs) }},
}

func (t Type) known() bool {
	i := t - TypeError
	return 0 <= i && int(i) < len(types) && types[i].make != nil
}

// String returns the name of t, or TYPE-N?.
func (t Type) String() string {
	if t.known() {
		return types[t-TypeError].name
	}
	return fmt.Sprintf("TYPE-%d?", int32(t))
}

// A Message is a protocol data unit.
type Message interface {
	// Type returns the message's type.
	Type() Type
	// Encode appends the message with its header. It fails if a field does not fit into a message;
	// dst is then returned unchanged.
	Encode(dst []byte) ([]byte, error)
	// Decode replaces the receiver by the content of a body: the bytes after the header. It keeps
	// no part of the body.
	Decode(body []byte) error
}

// New returns an empty message of a type, or nil for one that is not known.
func New(t Type) Message {
	if t.known() {
		return types[t-TypeError].make()
	}
	return nil
}

// HeaderSize is the size of the header before each body: the length of header and body, the type,
// and the sender's number.
const HeaderSize = 12

func begin(dst []byte, t Type) []byte {
	dst = wire.AppendUint32(dst, 0)
	dst = wire.AppendInt32(dst, int32(t))
	return wire.AppendUint32(dst, 0)
}

func end(dst []byte, start int) []byte {
	wire.PutUint32(dst, start, uint32(len(dst)-start))
	return dst
}

// SetFrom sets the sender's number in an encoded message: the process of an agent, or the daemon's
// number for a client.
func SetFrom(msg []byte, from int32) { wire.PutUint32(msg, 8, uint32(from)) }

func appendString(dst []byte, s string) []byte {
	dst = append(dst, s...)
	for n := len(s); n%4 != 0; n++ {
		dst = append(dst, '~')
	}
	return dst
}

func readString(r *wire.Reader, n int) string { return string(readPadded(r, n)) }

func readPadded(r *wire.Reader, n int) []byte {
	if n < 0 {
		r.Fail("negative length")
		return nil
	}
	b := r.Bytes(n)
	if r.Err() == nil {
		r.Skip(-n & 3)
	}
	return b
}

// A pack concatenates strings, so that they share one allocation.
type pack struct{ text strings.Builder }

func newPack(size int) *pack {
	p := new(pack)
	p.text.Grow(max(size, 0))
	return p
}

func (p *pack) read(r *wire.Reader, n int) string {
	start := p.text.Len()
	p.text.Write(readPadded(r, n))
	return p.text.String()[start:]
}
