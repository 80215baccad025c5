package xz

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
)

const (
	checkNone   = 0
	checkCRC32  = 1
	checkCRC64  = 4
	checkSHA256 = 10
)

// checkSizes are the lengths of the checks by kind, unknown kinds included.
var checkSizes = [16]byte{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

type check interface {
	io.Writer
	Sum(b []byte) []byte
}

func newCheck(kind byte) (check, error) {
	switch kind {
	case checkNone:
		return nil, nil
	case checkCRC32:
		return crc32.NewIEEE(), nil
	case checkCRC64:
		return new(crc), nil
	case checkSHA256:
		return sha256.New(), nil
	}
	return nil, fmt.Errorf("%w: check %d", errLayout, kind)
}

// A BlockReader unpacks a block piece by piece.
type BlockReader struct {
	Block
	f    *File
	d    *decoder
	pos  int64 // in the file
	rest int64 // of the block from there on, with padding
	left int64 // of the content
	sum  check
}

// maxSpare is how much memory a decoder that is not in use keeps.
const maxSpare = 1 << 20

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// OpenBlock begins to unpack block i. Several blocks may be unpacked at the same time.
func (f *File) OpenBlock(i int) (*BlockReader, error) {
	b := f.Blocks[i]
	r := &BlockReader{Block: b, f: f, pos: b.pos, rest: b.padded(), left: b.Size}
	var head [maxHeader]byte
	src, err := r.read(head[:min(b.length, maxHeader)], 0)
	if err != nil {
		return nil, err
	}
	n, err := r.header(src)
	if err != nil {
		return nil, err
	}
	if r.sum, err = newCheck(b.check); err != nil {
		return nil, err
	}
	r.skip(n)
	r.d = decoders.Get().(*decoder)
	r.d.begin(int64(dictionarySize(r.dictionary)), b.Size)
	return r, nil
}

// Close frees the decoder of r.
func (r *BlockReader) Close() {
	if cap(r.d.out) <= maxSpare {
		decoders.Put(r.d)
	}
	r.d = nil
}

// read fills buf with the bytes of the file at pos+ahead.
func (r *BlockReader) read(buf []byte, ahead int) ([]byte, error) {
	return buf, readFull(r.f.in, buf, r.pos+int64(ahead))
}

func (r *BlockReader) skip(n int) {
	r.pos += int64(n)
	r.rest -= int64(n)
}

// Next unpacks n bytes, a few more, or as many as are left of a chunk. They are valid until the next
// call. At the end, if that is as it should be, the error is io.EOF.
func (r *BlockReader) Next(n int) ([]byte, error) {
	d := r.d
	if d.left == 0 {
		if err := r.chunk(); err != nil {
			return nil, err
		}
	}
	n = min(n, maxPiece)
	d.makeRoom(n)
	start := d.pos
	if err := d.unpack(n); err != nil {
		return nil, err
	}
	piece := d.out[start:d.pos]
	r.left -= int64(len(piece))
	if r.sum != nil {
		r.sum.Write(piece)
	}
	return piece, nil
}

func (r *BlockReader) chunk() error {
	var buf [maxHead]byte
	head, err := r.read(buf[:min(maxHead, r.rest)], 0)
	if err != nil {
		return err
	}
	c, err := readChunk(head)
	switch {
	case err != nil:
		return err
	case c.control == lastChunk:
		r.skip(c.head)
		return r.end()
	case int64(c.unpacked) > r.left || int64(c.head+c.size) > r.rest:
		return fmt.Errorf("%w: LZMA2 chunk of %d and %d bytes", errDamage, c.size, c.unpacked)
	}
	if _, err := r.read(r.d.in[:c.size], c.head); err != nil {
		return err
	}
	r.skip(c.head + c.size)
	return r.d.load(c)
}

func (r *BlockReader) end() error {
	padding, size := r.padded()-r.length, int64(checkSizes[r.check])
	if r.left != 0 || r.rest != padding+size {
		return fmt.Errorf("%w: block of another size than the index says", errDamage)
	}
	src, err := r.read(make([]byte, r.rest), 0)
	if err != nil {
		return err
	}
	if !zeros(src[:padding]) {
		return fmt.Errorf("%w: padding", errDamage)
	}
	if r.sum == nil {
		return io.EOF
	}
	sum := r.sum.Sum(nil)
	if r.check != checkSHA256 { // the others have their lowest byte first
		slices.Reverse(sum)
	}
	if !bytes.Equal(sum, src[padding:]) {
		return fmt.Errorf("%w: wrong checksum", errDamage)
	}
	return io.EOF
}
