package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
)

// Creds is the first message of a client or an agent: its version and the features that it wants.
// There is no answer.
type Creds struct {
	Version uint8  // of the protocol: 2
	Flags   uint16 // features that are wanted
}

const (
	credVersion = 1
	maxCreds    = 1024
)

// Type implements Message.
func (*Creds) Type() Type { return TypeCreds }

// Encode implements Message.
func (src *Creds) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendUint32(begin(dst, TypeCreds), 1)
	dst = append(dst, credVersion, src.Version)
	dst = wire.AppendUint16(dst, src.Flags)
	return end(dst, start), nil
}

// Decode implements Message. Entries of other kinds are passed over.
func (dst *Creds) Decode(body []byte) error {
	*dst = Creds{}
	r := wire.NewReader(body)
	n := r.Count(4)
	if r.Err() == nil && (n < 1 || n > maxCreds) {
		return fmt.Errorf("%w: %d credentials", ErrFormat, n)
	}
	for range n {
		kind, version, flags := r.Uint8(), r.Uint8(), r.Uint16()
		if kind == credVersion {
			dst.Version, dst.Flags = version, flags
		}
	}
	return r.Finish()
}
