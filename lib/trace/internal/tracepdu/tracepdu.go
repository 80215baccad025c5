// Package tracepdu has the messages between instrumented programs and the trace agent, for both sides.
package tracepdu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"pmtools/lib/internal/wire"
)

// ErrFormat is wrapped by every error about a message that is malformed.
var ErrFormat = wire.ErrFormat

// A Type is the type of a message.
type Type int32

// The types of messages.
const (
	TypeAck  Type = 0x7050 // a message from the agent: Ack
	TypeData Type = 0x7051 // a message to the agent: Data
)

// Version is the version of the protocol, which the agent sends in its first message.
const Version = 1

// A Kind is the kind of a report: a transaction, a point, a value.
type Kind uint8

// The kinds of reports.
const (
	Transaction Kind = 1 + iota // the value is the time it took, in seconds
	Point                       // the value is PointValue
	Observation
	Counter
)

// PointValue is sent with a Point.
const PointValue = -1.0

// String returns the word that is used in messages.
func (k Kind) String() string {
	names := [...]string{Transaction: "transaction", Point: "point", Observation: "observation", Counter: "counter"}
	if k < Transaction || k > Counter {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return names[k]
}

// Sizes of messages, in bytes.
const (
	header = 12
	fixed  = 12 // size of the part of Data before the tag
	ackLen = header + 4
	// MaxTag is the length of the longest tag that fits a message. MaxRefTag is the longest that
	// the reference's agent accepts: it hangs up on longer ones.
	MaxTag    = 254
	MaxRefTag = 124
	// MaxLen is the length of the longest message.
	MaxLen = header + fixed + (MaxTag+1+3)&^3
)

const sync = 0x80 // flag of a report that is to be acknowledged

// Data is a report.
type Data struct {
	Kind  Kind
	Sync  bool // the agent is to acknowledge it with an Ack of Kind
	Tag   string
	Value float64
}

// Append appends the whole message. The tag must not be longer than MaxTag.
func (d *Data) Append(dst []byte, pid int32) []byte {
	size := len(d.Tag) + 1
	padded := (size + 3) &^ 3
	dst = appendHeader(dst, header+fixed+padded, TypeData, pid)
	flags := byte(0)
	if d.Sync {
		flags = sync
	}
	dst = append(dst, Version, byte(size), byte(d.Kind), flags)
	dst = wire.AppendUint64(dst, math.Float64bits(d.Value))
	dst = append(append(dst, d.Tag...), 0)
	return append(dst, "~~~"[:padded-size]...)
}

// SetSync marks an encoded message of TypeData for acknowledgement, and returns its kind.
func SetSync(message []byte) Kind {
	message[header+3] |= sync
	return Kind(message[header+2])
}

// DecodeData decodes the body of a message of TypeData. The tag ends at its first NUL, or at the
// end of its length. Bytes after it are ignored, as the reference's agent does.
func DecodeData(body []byte) (Data, error) {
	r := wire.NewReader(body)
	version, size := r.Uint8(), r.Uint8()
	d := Data{Kind: Kind(r.Uint8()), Sync: r.Uint8()&sync != 0, Value: math.Float64frombits(r.Uint64())}
	tag := r.Bytes(int(size))
	switch {
	case r.Err() != nil:
	case version != Version:
		r.Fail(fmt.Sprintf("version %d of the protocol, not %d", version, Version))
	case size == 0:
		r.Fail("tag without an end")
	case d.Kind < Transaction || d.Kind > Counter:
		r.Fail(fmt.Sprintf("unknown %v", d.Kind))
	}
	tag, _, _ = bytes.Cut(tag, []byte{0})
	d.Tag = string(tag)
	return d, r.Err()
}

// AppendAck appends an answer: the version of the protocol, the kind of a report, or an error.
func AppendAck(dst []byte, pid, value int32) []byte {
	return wire.AppendInt32(appendHeader(dst, ackLen, TypeAck, pid), value)
}

// DecodeAck decodes the body of a message of TypeAck.
func DecodeAck(body []byte) (int32, error) {
	r := wire.NewReader(body)
	v := r.Int32()
	return v, r.Finish()
}

func appendHeader(dst []byte, length int, t Type, pid int32) []byte {
	dst = wire.AppendUint32(dst, uint32(length))
	dst = wire.AppendUint32(dst, uint32(t))
	return wire.AppendInt32(dst, pid)
}

// A Reader takes messages from a stream.
type Reader struct {
	r   io.Reader
	buf [MaxLen]byte
}

// NewReader returns a Reader over r, which it reads no further than to the end of a message.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next message. Its body is valid until the next call. At the end of the stream the
// error is io.EOF, within a message io.ErrUnexpectedEOF.
func (r *Reader) Next() (Type, []byte, error) {
	if _, err := io.ReadFull(r.r, r.buf[:header]); err != nil {
		return 0, nil, err
	}
	length := int(int32(binary.BigEndian.Uint32(r.buf[:])))
	if length < ackLen || length > MaxLen {
		return 0, nil, fmt.Errorf("%w: message of %d bytes, not %d to %d", ErrFormat, length, ackLen, MaxLen)
	}
	if _, err := io.ReadFull(r.r, r.buf[header:length]); err == io.EOF {
		return 0, nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return 0, nil, err
	}
	return Type(binary.BigEndian.Uint32(r.buf[4:])), r.buf[header:length], nil
}
