// Package gzip unpacks files of gzip (RFC 1951 and 1952), faster than the libraries do, and without
// tables that each start of a program would make.
package gzip

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"pmtools/lib/archive/internal/pieces"
)

// The flags in the head of a member.
const (
	flagCRC      = 1 << 1
	flagExtra    = 1 << 2
	flagName     = 1 << 3
	flagComment  = 1 << 4
	flagReserved = 0xe0
)

// A Reader reads the content of a gzip file from its beginning.
type Reader struct {
	pieces.Reader
	z    inflater
	sum  uint32 // of what was unpacked of the member
	size uint32 // of it, modulo 2^32
}

// NewReader returns a Reader of what r holds, and reads the first head.
func NewReader(r io.Reader) (*Reader, error) {
	g := &Reader{z: inflater{r: r}}
	g.Next = g.advance
	return g, g.head()
}

// advance unpacks more, and reads what is between members.
func (g *Reader) advance() ([]byte, error) {
	piece, done, err := g.z.inflate()
	g.sum = crc32.Update(g.sum, crc32.IEEETable, piece)
	g.size += uint32(len(piece))
	if done {
		err = g.next()
	}
	return piece, err
}

// next reads the end of a member, and the head of the next.
func (g *Reader) next() error {
	z := &g.z
	end, err := z.bytes(8)
	if err != nil {
		return err
	}
	sum, size := binary.LittleEndian.Uint32(end), binary.LittleEndian.Uint32(end[4:])
	if sum != g.sum || size != g.size {
		return fmt.Errorf("%w: %d bytes with checksum %#x, want %d with %#x", errDamage, g.size, g.sum, size, sum)
	}
	z.need(1)
	for zeros := false; z.pos < z.end; z.need(1) {
		if z.in[z.pos] != 0 && !zeros {
			return g.head()
		} else if z.in[z.pos] != 0 {
			return fmt.Errorf("%w: neither a member nor only zeros behind the last one", errDamage)
		}
		zeros = true
		z.pos++
	}
	if z.err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return z.err
}

// head reads the head of a member.
func (g *Reader) head() error {
	z := &g.z
	head, err := z.bytes(10)
	if err != nil {
		return err
	}
	flags := head[3]
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 || flags&flagReserved != 0 {
		return fmt.Errorf("%w: no head of gzip: %x", errDamage, head)
	}
	sum := crc32.ChecksumIEEE(head)
	skip := func(n int) []byte {
		var b []byte
		if err == nil {
			b, err = z.bytes(n)
			sum = crc32.Update(sum, crc32.IEEETable, b)
		}
		return b
	}
	if flags&flagExtra != 0 {
		if b := skip(2); err == nil {
			for n := int(b[0]) | int(b[1])<<8; n > 0 && err == nil; n -= maxHead {
				skip(min(n, maxHead))
			}
		}
	}
	for _, f := range [...]byte{flagName, flagComment} {
		for more := flags&f != 0; more && err == nil; {
			b := skip(1)
			more = err == nil && b[0] != 0
		}
	}
	if want := uint16(sum); flags&flagCRC != 0 {
		if b := skip(2); err == nil && binary.LittleEndian.Uint16(b) != want {
			err = fmt.Errorf("%w: checksum of a head", errDamage)
		}
	}
	z.first, z.final = z.have, false
	g.sum, g.size = 0, 0
	return err
}

// bytes takes n bytes.
func (z *inflater) bytes(n int) ([]byte, error) {
	z.need(n)
	if n > z.end-z.pos {
		return nil, z.err
	}
	z.pos += n
	return z.in[z.pos-n : z.pos], nil
}
