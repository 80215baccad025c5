// Package wire reads and writes the big-endian encodings that the protocol of pmcd and the archive
// files share: integers, strings and sets of values.
//
// All reading goes through a [Reader], which checks each length against the remaining bytes and
// remembers the first error; a decoder reads its fields in order and asks [Reader.Finish] once.
// Writing appends to a slice, as encoding/binary does.
package wire

import (
	"encoding/binary"
	"fmt"
)

// ErrFormat is wrapped by every error of a Reader. It is a constant: packages that give it another
// name need nothing done for that before main begins.
const ErrFormat formatError = "malformed data"

// A formatError is an error that is the same wherever it has the same text.
type formatError string

func (e formatError) Error() string { return string(e) }

// A Reader takes big-endian fields from the front of a byte slice. After the first failure all
// reads return zero values. It holds no memory of its own and is used as a local variable; it must
// not be shared by goroutines.
type Reader struct {
	src []byte
	pos int
	err error
}

// NewReader returns a Reader over src, which it does not copy.
func NewReader(src []byte) Reader { return Reader{src: src} }

// Err returns the first failure, or nil.
func (r *Reader) Err() error { return r.err }

// Len returns how many bytes are left.
func (r *Reader) Len() int { return len(r.src) - r.pos }

// Offset returns how many bytes were read.
func (r *Reader) Offset() int { return r.pos }

// Finish returns the first failure. Remaining bytes are a failure.
func (r *Reader) Finish() error {
	if r.err == nil && r.pos != len(r.src) {
		r.err = fmt.Errorf("%w: %d bytes left over at offset %d", ErrFormat, len(r.src)-r.pos, r.pos)
	}
	return r.err
}

// Fail makes the Reader fail for a reason of its caller.
func (r *Reader) Fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at offset %d", ErrFormat, what, r.pos)
	}
}

// Bytes takes n bytes. The result aliases the Reader's source.
func (r *Reader) Bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.src)-r.pos {
		r.short(n)
		return nil
	}
	b := r.src[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

// Skip passes over n bytes.
func (r *Reader) Skip(n int) { r.Bytes(n) }

func (r *Reader) short(n int) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %d bytes needed at offset %d, %d left", ErrFormat, n, r.pos, len(r.src)-r.pos)
	}
}

// Uint8 takes one byte.
func (r *Reader) Uint8() uint8 {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 takes two bytes.
func (r *Reader) Uint16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// Uint32 takes four bytes. Most fields are such numbers, so that it avoids the call of Bytes.
func (r *Reader) Uint32() uint32 {
	if rest := r.src[r.pos:]; r.err == nil && len(rest) >= 4 {
		r.pos += 4
		return binary.BigEndian.Uint32(rest)
	}
	r.short(4)
	return 0
}

// Int32 takes four bytes as a signed number.
func (r *Reader) Int32() int32 { return int32(r.Uint32()) }

// Uint64 takes eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Int64 takes eight bytes as a signed number.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Count takes a four-byte count of elements that need at least minElemSize bytes each, and fails
// unless that many can follow. So memory for the elements can be allocated safely.
func (r *Reader) Count(minElemSize int) int {
	n := r.Int32()
	if r.err == nil && (n < 0 || int64(n)*int64(max(minElemSize, 1)) > int64(r.Len())) {
		r.err = fmt.Errorf("%w: count %d at offset %d, %d bytes left", ErrFormat, n, r.pos-4, r.Len())
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// String takes n bytes as a string.
func (r *Reader) String(n int) string { return string(r.Bytes(n)) }

// AppendUint16 appends v to dst.
func AppendUint16(dst []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(dst, v) }

// AppendUint32 appends v to dst.
func AppendUint32(dst []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(dst, v) }

// AppendInt32 appends v to dst.
func AppendInt32(dst []byte, v int32) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }

// AppendUint64 appends v to dst.
func AppendUint64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

// PutUint32 overwrites the four bytes of dst at offset off.
func PutUint32(dst []byte, off int, v uint32) { binary.BigEndian.PutUint32(dst[off:], v) }
