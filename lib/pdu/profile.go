package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// A Profile selects the instances that later fetches for the same Slot return. There is no answer.
type Profile struct {
	Slot    int32
	Exclude bool // domains without an entry are excluded
	Entries []pcp.ProfileEntry
}

// Type implements Message.
func (*Profile) Type() Type { return TypeProfile }

func state(exclude bool) uint32 {
	if exclude {
		return 1
	}
	return 0
}

// Encode implements Message.
func (src *Profile) Encode(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = wire.AppendInt32(begin(dst, TypeProfile), src.Slot)
	dst = wire.AppendUint32(dst, state(src.Exclude))
	dst = wire.AppendUint32(dst, uint32(len(src.Entries)))
	dst = wire.AppendUint32(dst, 0)
	for _, e := range src.Entries {
		dst = wire.AppendUint32(dst, uint32(e.InDom))
		dst = wire.AppendUint32(dst, state(e.Exclude))
		dst = wire.AppendUint32(dst, uint32(len(e.Insts)))
		dst = wire.AppendUint32(dst, 0)
	}
	for _, e := range src.Entries {
		for _, inst := range e.Insts {
			dst = wire.AppendInt32(dst, inst)
		}
	}
	return end(dst, start), nil
}

// Decode implements Message.
func (dst *Profile) Decode(body []byte) error {
	r := wire.NewReader(body)
	*dst = Profile{Slot: r.Int32(), Exclude: r.Uint32() != 0}
	n := r.Count(16)
	r.Skip(4)
	if r.Err() == nil && dst.Slot < 0 {
		return fmt.Errorf("%w: slot %d", ErrFormat, dst.Slot)
	}
	counts := make([]int32, 0, n)
	for range n {
		e := pcp.ProfileEntry{InDom: pcp.InDom(r.Uint32()), Exclude: r.Uint32() != 0}
		counts = append(counts, r.Int32())
		r.Skip(4)
		dst.Entries = append(dst.Entries, e)
	}
	for i, c := range counts {
		if c < 0 || int(c) > r.Len()/4 {
			return fmt.Errorf("%w: %d instances in %d bytes", ErrFormat, c, r.Len())
		}
		for range c {
			dst.Entries[i].Insts = append(dst.Entries[i].Insts, r.Int32())
		}
	}
	return r.Finish()
}
