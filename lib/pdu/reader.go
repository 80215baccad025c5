package pdu

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A Frame is a message as it came off the stream.
type Frame struct {
	Type Type
	From int32  // the sender's number for itself, or for the client on whose behalf it sends
	Body []byte // valid until the next call of Next
}

// defaultMaxLen is the default length of the longest message that a Reader accepts. Replies have no
// limit in the protocol; the longest known ones, whole name spaces and large results, have some
// tens of megabytes.
const defaultMaxLen = 256 << 20

// Longest returns the default length in bytes of the longest message of a type that a Reader accepts. Some messages have a fixed size, others are limited by
// the length of a request; for the rest the limit is many times the longest known message. Decoders allocate in proportion to a message, so that this is the
// budget for memory too.
func Longest(t Type) int {
	switch t {
	case TypeError, TypeDescReq, TypeDesc, TypeLabelReq, TypeTextReq:
		return 1 << 10
	case TypeIDs, TypeDescs, TypeAttr:
		return 1 << 20
	case TypeText:
		return 16 << 20
	case TypeInstance, TypeLabel:
		return 64 << 20
	case TypeNames:
		return 128 << 20
	}
	return defaultMaxLen
}

// A Reader takes messages off a stream. The next call of Next continues a read that was cut short,
// for example by a deadline. It may not be shared by goroutines.
type Reader struct {
	// MaxLen is the length in bytes of the longest message that is accepted; 0 means the Longest of
	// its type.
	MaxLen int

	r     io.Reader
	mem   []byte // the buffer with its full capacity
	buf   []byte // the unread bytes, of the current message and after it: the end of mem
	done  int    // the length of the message that was returned last, still in buf
	small int    // number of consecutive messages that needed little of a large buffer
	full  bool   // the last read filled the buffer
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next message. At the end of the stream it returns io.EOF; if it ends within a
// message io.ErrUnexpectedEOF; an error that wraps ErrFormat if the bytes cannot be a message: the
// stream is unusable then.
func (r *Reader) Next() (Frame, error) {
	r.drop()
	if err := r.fill(HeaderSize); err != nil {
		return Frame{}, err
	}
	n, t := int32(binary.BigEndian.Uint32(r.buf)), Type(binary.BigEndian.Uint32(r.buf[4:]))
	limit := r.MaxLen
	if limit == 0 {
		limit = Longest(t)
	}
	switch {
	case n < HeaderSize:
		return Frame{}, fmt.Errorf("%w: message of %d bytes", ErrFormat, n)
	case int(n) > limit:
		return Frame{}, fmt.Errorf("%w: message of %d bytes, at most %d allowed", ErrFormat, n, limit)
	case t < 0:
		return Frame{}, fmt.Errorf("%w: message type %d", ErrFormat, t)
	}
	if err := r.fill(int(n)); err != nil {
		return Frame{}, err
	}
	r.done = int(n)
	// The capacity ends with the message: appending to a body must not overwrite the next message.
	return Frame{t, int32(binary.BigEndian.Uint32(r.buf[8:])), r.buf[HeaderSize:n:n]}, nil
}

// Ready reports whether Next needs no read.
func (r *Reader) Ready() bool {
	rest := r.buf[r.done:]
	return len(rest) >= HeaderSize && len(rest) >= int(int32(binary.BigEndian.Uint32(rest)))
}

// Started reports whether part of a message was read.
func (r *Reader) Started() bool { return len(r.buf) > r.done }

// Sizes of a Reader's buffer: initially, for many small messages, and the largest size that is kept after
// patience messages in a row that needed less than a quarter of it.
const (
	minBuffer  = 4 << 10
	manyBuffer = 16 << 10
	keepBuffer = 32 << 10
	patience   = 4
)

func (r *Reader) drop() {
	if r.done == 0 {
		return
	}
	if r.small++; len(r.mem) <= keepBuffer || len(r.buf) >= len(r.mem)/4 {
		r.small = 0
	}
	r.buf = r.buf[r.done:]
	r.done = 0
	if r.small >= patience {
		r.small = 0
		r.move(max(len(r.buf), minBuffer))
	}
}

func (r *Reader) move(size int) {
	switch {
	case size != len(r.mem):
		r.mem = make([]byte, size)
	case cap(r.buf) == size:
		return // the bytes are at the beginning already
	}
	r.buf = r.mem[:copy(r.mem, r.buf)]
}

const maxEmpty = 100

const growth = 16

// room makes room for reading on in a message of n bytes. The buffer grows with the bytes that arrive, not
// with the length in the header, which may lie.
func (r *Reader) room(n int) {
	size := max(len(r.mem), minBuffer)
	switch {
	case len(r.buf) < len(r.mem):
		if r.full && n <= size {
			size = max(size, manyBuffer) // bytes of the next messages are probably waiting: room for them saves reads
		}
	case growth*len(r.buf) < n:
		size = max(size, min(growth*len(r.buf), n/growth+1))
	default:
		size = max(size, n)
	}
	r.move(size)
}

func (r *Reader) fill(n int) error {
	for empty := 0; len(r.buf) < n; {
		r.room(n)
		m, err := r.r.Read(r.mem[len(r.buf):])
		r.buf = r.mem[:len(r.buf)+m]
		r.full = len(r.buf) == len(r.mem)
		if empty++; m > 0 {
			empty = 0
		}
		switch {
		case len(r.buf) >= n: // the message is complete: the next read returns the error again
		case err == io.EOF && len(r.buf) > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case empty >= maxEmpty:
			return io.ErrNoProgress
		}
	}
	return nil
}
