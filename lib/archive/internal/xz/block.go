package xz

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"
)

const (
	checkNone   = 0
	checkCRC32  = 1
	checkCRC64  = 4
	checkSHA256 = 10
)

// checkSizes are the lengths of the checks by kind, unknown kinds included.
var checkSizes = [16]byte{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

func newCheck(kind byte) (hash.Hash, error) {
	switch kind {
	case checkNone:
		return nil, nil
	case checkCRC32:
		return crc32.NewIEEE(), nil
	case checkCRC64:
		return crc64.New(crc64.MakeTable(crc64.ECMA)), nil
	case checkSHA256:
		return sha256.New(), nil
	}
	return nil, fmt.Errorf("%w: check %d", errLayout, kind)
}

// A BlockReader reads the content of a block, which is packed in chunks of LZMA2.
type BlockReader struct {
	Block
	content
	f         *File
	pos       int64 // in the file
	rest      int64 // of the block from there on, with padding
	left      int64 // of the content
	sum       hash.Hash
	chunk     int // content of the chunk that is not unpacked
	plain     bool
	needDict  bool   // the next chunk must reset the dictionary
	needProps bool   // the next packed chunk must have properties
	buf       []byte // of the chunk
}

// OpenBlock begins to unpack block i. Several blocks may be unpacked at the same time.
func (f *File) OpenBlock(i int) (*BlockReader, error) {
	b := f.Blocks[i]
	head, err := f.checkBlock(&b)
	if err != nil {
		return nil, err
	}
	r := &BlockReader{Block: b, f: f, pos: b.pos + head, rest: b.padded() - head, left: b.Size, needDict: true, needProps: true}
	r.keep, r.most, r.next = b.window(), b.Size, r.step
	r.out = make([]byte, 0, r.limit())
	r.sum, err = newCheck(b.check)
	return r, err
}

// Read reads content. It returns io.EOF when the block ends as it should.
func (r *BlockReader) Read(p []byte) (int, error) {
	n, err := r.content.Read(p)
	if r.sum != nil {
		r.sum.Write(p[:n])
	}
	if err == io.EOF {
		err = r.verify()
	}
	return n, err
}

// step unpacks a symbol or a part of a plain chunk, or begins the next chunk.
func (r *BlockReader) step() error {
	before := len(r.out)
	switch {
	case r.chunk == 0:
		return r.begin()
	case r.plain:
		n := min(r.chunk, 1<<16)
		r.out = append(r.out, r.in[r.at:r.at+n]...)
		r.at += n
		r.total += uint32(n)
	default:
		if err := r.symbol(); err != nil {
			return fmt.Errorf("%w: %w", errDamage, err)
		}
	}
	r.chunk -= len(r.out) - before
	if r.chunk == 0 && !r.plain {
		r.normal()
	}
	if r.chunk < 0 || r.chunk == 0 && (r.at != len(r.in) || !r.plain && r.code != 0) {
		r.out = r.out[:before]
		return fmt.Errorf("%w: LZMA2 chunk does not end where it should", errDamage)
	}
	return nil
}

const maxHead = 6 // bytes of a chunk before its content

// The control bytes of chunks: from packed on, their bits are resets.
const (
	lastChunk  = 0
	plainReset = 1 // the dictionary is reset
	plainChunk = 2
	packed     = 0x80
	resetState = 0xa0
	resetProps = 0xc0 // and the state
	resetAll   = 0xe0 // and the dictionary
)

// begin reads a chunk. After the last one it returns io.EOF.
func (r *BlockReader) begin() error {
	var buf [maxHead]byte
	head := buf[:min(maxHead, r.rest)]
	if err := readFull(r.f.in, head, r.pos); err != nil {
		return err
	}
	control := byte(0xff)
	if len(head) > 0 {
		control = head[0]
	}
	switch {
	case control == lastChunk:
		r.pos, r.rest = r.pos+1, r.rest-1
		return io.EOF
	case len(head) < maxHead || control > plainChunk && control < packed:
		return fmt.Errorf("%w: no LZMA2 chunk", errDamage)
	}
	length, size := 3, int(head[1])<<8+int(head[2])+1
	r.chunk, r.plain = size, control < packed
	if !r.plain {
		length = 5 + int(control>>6&1)
		r.chunk, size = size+int(control&31)<<16, int(head[3])<<8+int(head[4])+1
	}
	if int64(r.chunk) > r.left || int64(length+size) > r.rest {
		return fmt.Errorf("%w: LZMA2 chunk of %d and %d bytes", errDamage, size, r.chunk)
	}
	if size > len(r.buf) {
		r.buf = make([]byte, size)
	}
	r.in, r.at = r.buf[:size], 0
	if err := readFull(r.f.in, r.in, r.pos+int64(length)); err != nil {
		return err
	}
	r.pos, r.rest, r.left = r.pos+int64(length+size), r.rest-int64(length+size), r.left-int64(r.chunk)
	return r.reset(control, head[5])
}

// reset resets what the control byte of a chunk says.
func (r *BlockReader) reset(control, props byte) error {
	if control == plainReset || control >= resetAll {
		r.base, r.total, r.needDict, r.needProps = len(r.out), 0, false, true
	}
	if r.needDict || control >= packed && control < resetProps && r.needProps {
		return fmt.Errorf("%w: LZMA2 chunk %#x without a beginning", errDamage, control)
	}
	if r.plain {
		return nil
	}
	if control >= resetProps {
		if err := r.setProps(props); err != nil {
			return err
		}
		r.needProps = false
	} else if control >= resetState {
		r.decoder.reset()
	}
	return r.start()
}

// verify checks what follows the content.
func (r *BlockReader) verify() error {
	padding, size := r.padded()-r.length, int64(checkSizes[r.check])
	if r.left != 0 || r.rest != padding+size {
		return fmt.Errorf("%w: block of another size than the index says", errDamage)
	}
	src := make([]byte, r.rest)
	if err := readFull(r.f.in, src, r.pos); err != nil {
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
