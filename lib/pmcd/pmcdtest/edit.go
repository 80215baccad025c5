package pmcdtest

import (
	"encoding/binary"
	"time"

	"pmtools/lib/pdu"
)

// On returns an Edit that applies e to the nth reply to requests of a type, counted from 0 over all
// connections.
func On(request pdu.Type, n int, e Edit) Edit {
	nth := Nth(n, e)
	return func(r *Reply) {
		if r.Request == request {
			nth(r)
		}
	}
}

// Cut closes the connection after the first n bytes of a reply.
func Cut(n int) Edit {
	return func(r *Reply) { r.Bytes, r.Close = r.Bytes[:min(n, len(r.Bytes))], true }
}

// Delay sends a reply later.
func Delay(d time.Duration) Edit {
	return func(r *Reply) { r.Delay = d }
}

// Drop does not send a reply.
func Drop() Edit {
	return func(r *Reply) { r.Bytes = nil }
}

// Put sends messages in place of a reply: another one, or none, or several.
func Put(ms ...pdu.Message) Edit {
	return func(r *Reply) { r.Bytes = encode(nil, ms) }
}

// After sends unrequested messages after a reply.
func After(ms ...pdu.Message) Edit {
	return func(r *Reply) { r.Bytes = encode(r.Bytes, ms) }
}

// Type changes the type of a reply.
func Type(t pdu.Type) Edit {
	return func(r *Reply) { binary.BigEndian.PutUint32(r.Bytes[4:], uint32(t)) }
}

// Length adds n to the length in the header of a reply.
func Length(n int) Edit {
	return func(r *Reply) { binary.BigEndian.PutUint32(r.Bytes, uint32(len(r.Bytes)+n)) }
}

// Word replaces the word at an offset of a reply.
func Word(at int, v uint32) Edit {
	return func(r *Reply) { binary.BigEndian.PutUint32(r.Bytes[at:], v) }
}

// Garbage sends bytes in place of a reply.
func Garbage(b []byte) Edit {
	return func(r *Reply) { r.Bytes = b }
}

func encode(dst []byte, ms []pdu.Message) []byte {
	for _, m := range ms {
		dst, _ = m.Encode(dst)
	}
	return dst
}
