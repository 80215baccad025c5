package xz

import (
	"encoding/binary"
	"hash/crc64"
	"sync"
)

// A crc computes CRC64. It takes 16 bytes at a time, in half of the time of hash/crc64.
type crc uint64

// crcTables: t[k][b] is the effect of byte b on the checksum when k bytes follow it.
var crcTables struct {
	once sync.Once
	t    *[16][256]uint64
}

func makeCRC() {
	t := new([16][256]uint64)
	crcTables.t = t
	for i := range t[0] {
		sum := uint64(i)
		for range 8 {
			sum = sum>>1 ^ crc64.ECMA&-(sum&1)
		}
		t[0][i] = sum
	}
	for k := range t[1:] {
		for i, sum := range t[k] {
			t[k+1][i] = sum>>8 ^ t[0][byte(sum)]
		}
	}
}

func (c *crc) Write(p []byte) (int, error) {
	crcTables.once.Do(makeCRC)
	t, sum, n := crcTables.t, ^uint64(*c), len(p)
	for ; len(p) >= 16; p = p[16:] {
		a, b := binary.LittleEndian.Uint64(p)^sum, binary.LittleEndian.Uint64(p[8:])
		sum = t[7][byte(b)] ^ t[6][byte(b>>8)] ^ t[5][byte(b>>16)] ^ t[4][byte(b>>24)] ^
			t[3][byte(b>>32)] ^ t[2][byte(b>>40)] ^ t[1][byte(b>>48)] ^ t[0][b>>56]
		sum ^= (t[15][byte(a)] ^ t[14][byte(a>>8)] ^ t[13][byte(a>>16)] ^ t[12][byte(a>>24)]) ^
			(t[11][byte(a>>32)] ^ t[10][byte(a>>40)] ^ t[9][byte(a>>48)] ^ t[8][a>>56])
	}
	for _, b := range p {
		sum = sum>>8 ^ t[0][byte(sum)^b]
	}
	*c = crc(^sum)
	return n, nil
}

func (c *crc) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, uint64(*c)) }
