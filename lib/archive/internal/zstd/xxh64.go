package zstd

import (
	"encoding/binary"
	"math/bits"
)

// The prime numbers of the checksum.
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// An xxh64 computes the checksum of a frame: XXH64 with seed 0 (RFC 8878 3.1.1).
type xxh64 struct {
	lanes [4]uint64
	rest  [32]byte // what does not fill the lanes
	n     uint64   // bytes so far
}

func (x *xxh64) reset() {
	one := uint64(prime1) // its overflow is meant
	*x = xxh64{lanes: [4]uint64{one + prime2, prime2, 0, -one}}
}

func round(lane, v uint64) uint64 { return bits.RotateLeft64(lane+v*prime2, 31) * prime1 }

func merge(sum, lane uint64) uint64 { return (sum^round(0, lane))*prime1 + prime4 }

// write adds bytes.
func (x *xxh64) write(b []byte) {
	have := int(x.n % 32)
	x.n += uint64(len(b))
	if have > 0 {
		n := copy(x.rest[have:], b)
		if b = b[n:]; have+n < 32 {
			return
		}
		x.add(x.rest[:])
	}
	copy(x.rest[:], x.add(b))
}

// add adds as many whole rounds as there are, and returns the rest.
func (x *xxh64) add(b []byte) []byte {
	l0, l1, l2, l3 := x.lanes[0], x.lanes[1], x.lanes[2], x.lanes[3]
	for ; len(b) >= 32; b = b[32:] {
		l0 = round(l0, binary.LittleEndian.Uint64(b))
		l1 = round(l1, binary.LittleEndian.Uint64(b[8:]))
		l2 = round(l2, binary.LittleEndian.Uint64(b[16:]))
		l3 = round(l3, binary.LittleEndian.Uint64(b[24:]))
	}
	x.lanes = [4]uint64{l0, l1, l2, l3}
	return b
}

// sum returns the checksum of all bytes.
func (x *xxh64) sum() uint64 {
	h := uint64(prime5)
	if x.n >= 32 {
		h = 0
		for i, rotate := range [4]int{1, 7, 12, 18} {
			h += bits.RotateLeft64(x.lanes[i], rotate)
		}
		for _, lane := range x.lanes {
			h = merge(h, lane)
		}
	}
	h += x.n
	b := x.rest[:x.n%32]
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}
