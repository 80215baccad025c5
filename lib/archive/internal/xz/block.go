package xz

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"
)

// The checks at the end of a block.
const (
	checkNone   = 0
	checkCRC32  = 1
	checkCRC64  = 4
	checkSHA256 = 10
)

// newCheck returns what computes a check, and how long the check is.
func newCheck(kind byte) (hash.Hash, int, error) {
	switch kind {
	case checkNone:
		return nil, 0, nil
	case checkCRC32:
		return crc32.NewIEEE(), 4, nil
	case checkCRC64:
		return crc64.New(crc64.MakeTable(crc64.ECMA)), 8, nil
	case checkSHA256:
		return sha256.New(), 32, nil
	}
	return nil, 0, fmt.Errorf("%w: check %d", errLayout, kind)
}

// A blockReader unpacks a block chunk by chunk.
type blockReader struct {
	Block
	d    *decoder
	in   *bufio.Reader
	rest int64 // of the block in the file
	left int64 // of the content
	sum  hash.Hash
	size int // of the check
}

// open begins to unpack a block to out.
func (f *File) open(b Block, d *decoder, out []byte) (r *blockReader, err error) {
	r = &blockReader{Block: b, d: d, rest: b.length, left: b.Size}
	r.in = bufio.NewReaderSize(io.NewSectionReader(f.in, b.pos, b.length), maxHead+maxPacked)
	src, err := r.in.Peek(int(min(b.length, maxHeader)))
	if err != nil {
		return nil, err
	}
	head, err := r.header(src)
	if err != nil {
		return nil, err
	}
	if r.sum, r.size, err = newCheck(b.check); err != nil {
		return nil, err
	}
	r.skip(head)
	d.begin(out)
	return r, nil
}

// skip passes over bytes that were peeked at.
func (r *blockReader) skip(n int) {
	_, _ = r.in.Discard(n)
	r.rest -= int64(n)
}

// next unpacks a chunk, and returns it: nil behind the last one. If there is no room for it, what is
// older than the dictionary makes room.
func (r *blockReader) next() ([]byte, error) {
	head, err := r.in.Peek(int(min(maxHead, r.rest)))
	if err != nil {
		return nil, err
	}
	c, err := readChunk(head)
	switch {
	case err != nil:
		return nil, err
	case c.control == lastChunk:
		r.skip(c.head)
		return nil, r.end()
	case int64(c.unpacked) > r.left || int64(c.head+c.size) > r.rest:
		return nil, fmt.Errorf("%w: LZMA2 chunk of %d and %d bytes", errDamage, c.size, c.unpacked)
	}
	src, err := r.in.Peek(c.head + c.size)
	if err != nil {
		return nil, err
	}
	r.d.makeRoom(c.unpacked, int(r.dictionary))
	start := r.d.pos
	if err := r.d.unpack(c, src); err != nil {
		return nil, err
	}
	r.skip(len(src))
	piece := r.d.out[start:r.d.pos]
	r.left -= int64(len(piece))
	if r.sum != nil {
		r.sum.Write(piece)
	}
	return piece, nil
}

// end checks what is behind the last chunk: padding and the check.
func (r *blockReader) end() error {
	if padding := r.rest - int64(r.size); r.left != 0 || padding < 0 || padding > 3 {
		return fmt.Errorf("%w: block of another size than the index says", errDamage)
	}
	src, err := r.in.Peek(int(r.rest))
	if err != nil {
		return err
	}
	if padding := src[:len(src)-r.size]; len(bytes.Trim(padding, "\x00")) > 0 {
		return fmt.Errorf("%w: padding", errDamage)
	}
	if r.sum == nil {
		return nil
	}
	sum := r.sum.Sum(nil)
	if r.check != checkSHA256 { // the others have their lowest byte first
		slices.Reverse(sum)
	}
	if !bytes.Equal(sum, src[len(src)-r.size:]) {
		return fmt.Errorf("%w: wrong checksum", errDamage)
	}
	return nil
}
