// Package xz unpacks xz files: their streams of blocks, which are packed by LZMA2. Each block can be
// unpacked by itself.
package xz

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sort"

	"pmtools/lib/internal/wire"
)

var (
	errLayout     = errors.New("damaged xz file")
	errDictionary = errors.New("dictionary of compressed file is too large")
	errBlocks     = errors.New("xz file of more than 1048576 blocks") // maxBlocks; a text that is made costs each start
)

const (
	maxHeader     = 1024      // bytes of a block's header
	maxDictionary = 256 << 20 // bytes that a block may refer back to: xz -9 uses 64 MiB
	maxContent    = 1 << 50   // bytes of content
	maxBlocks     = 1 << 20   // in a file: ten terabytes as pmlogger's housekeeping packs them
	maxIndex      = 20 << 20  // bytes of an index: that of so many blocks
	maxPadding    = 1 << 16   // units of four bytes between streams, and after the last

	minBlock = 8 + 1 // bytes of a block: a header, and the end of LZMA2
	minIndex = 8     // bytes of an index of no blocks
	endSize  = 12    // bytes of the header and of the footer of a stream
)

// A File is the layout of an xz file, which its end describes.
type File struct {
	Size   int64 // of the content
	Blocks []Block
	in     io.ReaderAt
	ends   tail // in, while the layout is read
	head   [maxHeader]byte
}

// A Block is a piece of the content.
type Block struct {
	Start, Size int64 // in the content
	pos, length int64 // in the file: its header, packed content and check, without padding
	check       byte  // the kind at its end
	dictionary  byte  // the size of the dictionary, as it is stored
}

// blockSize is at least the memory of a Block.
const blockSize = 48

func (b *Block) padded() int64 { return (b.length + 3) &^ 3 }

// Memory returns how many bytes OpenBlock and the reading of the block take.
func (b *Block) Memory() int64 { return room(int64(dictionarySize(b.dictionary)), b.Size) + overhead }

// overhead is the memory of a decoder without its output.
const overhead = 256 << 10

// Memory returns how many bytes f takes, and a Reader of it.
func (f *File) Memory() int64 {
	var most int64
	for i := range f.Blocks {
		most = max(most, f.Blocks[i].Memory())
	}
	return most + int64(cap(f.Blocks))*blockSize
}

// Open reads the layout of a file of some size, and checks it: whether the file is complete, the
// length of its content, and the memory it needs. It reads the streams from the last to the first.
func Open(ctx context.Context, in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, ends: tail{in: in}}
	padding := 0
	if size == 0 {
		return nil, errLayout
	}
	for pos := size; pos > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		footer := make([]byte, endSize)
		if pos < 2*endSize {
			return nil, errLayout
		}
		if err := f.ends.read(footer, pos-endSize); err != nil {
			return nil, err
		}
		if binary.BigEndian.Uint32(footer[8:]) == 0 { // padding
			pos -= 4
			if padding++; padding > maxPadding {
				return nil, errLayout
			}
			continue
		}
		padding = 0
		length := (int64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
		if string(footer[10:]) != "YZ" || footer[8] != 0 || footer[9] > 15 || length < minIndex || length > min(pos-2*endSize, maxIndex) || !sealed(footer[4:10], footer) {
			return nil, errLayout
		}
		start, err := f.addStream(ctx, footer[9], pos-endSize-length, length)
		if err != nil {
			return nil, err
		}
		pos = start
	}
	slices.Reverse(f.Blocks)
	var start int64
	for i := range f.Blocks {
		f.Blocks[i].Start = start
		start += f.Blocks[i].Size
	}
	f.ends = tail{}
	return f, nil
}

// Reopen makes f go on with another descriptor of the same file. Nothing must be at work on it.
func (f *File) Reopen(in io.ReaderAt) { f.in = in }

// Find returns the block that holds an offset of the content, or the block nearest to it.
func (f *File) Find(off int64) int {
	i := sort.Search(len(f.Blocks), func(i int) bool { return f.Blocks[i].Start > off })
	return max(i-1, 0)
}

func sealed(b, sum []byte) bool { return binary.LittleEndian.Uint32(sum) == crc32.ChecksumIEEE(b) }

// addStream adds the blocks of a stream, last one first, and returns the start of the stream. Its index has
// length bytes, and begins at end.
func (f *File) addStream(ctx context.Context, check byte, end, length int64) (start int64, err error) {
	index := make([]byte, length)
	if err := f.ends.read(index, end); err != nil {
		return 0, err
	}
	if index[0] != 0 || !sealed(index[:length-4], index[length-4:]) {
		return 0, errLayout
	}
	r := wire.NewReader(index[1 : length-4])
	count := number(&r)
	switch {
	case count > uint64(r.Len()/2):
		return 0, errLayout
	case count > uint64(maxBlocks-len(f.Blocks)):
		return 0, errBlocks
	case count > uint64(end)/minBlock: // no room for the blocks: nothing is allocated for them
		return 0, errLayout
	}
	first := len(f.Blocks)
	f.Blocks = slices.Grow(f.Blocks, int(count))
	var packed int64
	for ; count > 0 && r.Err() == nil; count-- {
		size, plain := number(&r), number(&r)
		if size < minBlock || size > uint64(end) || plain > uint64(maxContent-f.Size) {
			return 0, errLayout
		}
		b := Block{pos: packed, length: int64(size), Size: int64(plain), check: check}
		f.Blocks = append(f.Blocks, b)
		f.Size += b.Size
		if packed += b.padded(); packed > end {
			return 0, errLayout
		}
	}
	padding := r.Len()
	if start = end - packed - endSize; r.Err() != nil || start < 0 || padding > 3 || !zeros(r.Bytes(padding)) {
		return 0, errLayout
	}
	head := make([]byte, endSize)
	if err := f.ends.read(head, start); err != nil {
		return 0, err
	}
	if string(head[:8]) != "\xfd7zXZ\x00\x00"+string(rune(check)) || !sealed(head[6:8], head[8:]) {
		return 0, errLayout
	}
	for i := range f.Blocks[first:] {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b := &f.Blocks[first+i]
		b.pos += start + endSize
		if err := f.checkBlock(b); err != nil {
			return 0, err
		}
	}
	slices.Reverse(f.Blocks[first:])
	return start, nil
}

func (f *File) checkBlock(b *Block) error {
	header := f.head[:min(b.length, maxHeader)]
	if err := f.ends.read(header, b.pos); err != nil {
		return err
	}
	_, err := b.header(header)
	return err
}

// header reads the header of a block, which must agree with the index, and returns its length.
func (b *Block) header(src []byte) (int, error) {
	if len(src) == 0 || src[0] == 0 || len(src) < 4*int(src[0])+4 {
		return 0, errLayout
	}
	length := 4*int(src[0]) + 4
	packed := b.length - int64(length) - int64(checkSizes[b.check])
	r := wire.NewReader(src[1 : length-4])
	flags := r.Uint8()
	agrees := packed > 0
	if flags&0x40 != 0 {
		agrees = agrees && number(&r) == uint64(packed)
	}
	if flags&0x80 != 0 {
		agrees = agrees && number(&r) == uint64(b.Size)
	}
	const lzma2 = 0x21
	id, props := number(&r), r.Bytes(int(min(number(&r), 1024)))
	switch {
	case r.Err() != nil || flags&0x3c != 0 || !sealed(src[:length-4], src[length-4:]):
		return 0, errLayout
	case !agrees:
		return 0, fmt.Errorf("%w: a block of another size than the index says", errLayout)
	case flags&3 != 0 || id != lzma2 || len(props) != 1 || props[0] > 40:
		return 0, fmt.Errorf("%w: a filter other than LZMA2", errLayout)
	case !zeros(r.Bytes(r.Len())):
		return 0, errLayout
	case dictionarySize(props[0]) > maxDictionary:
		return 0, errDictionary
	}
	b.dictionary = props[0]
	return length, nil
}

func zeros(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func dictionarySize(bits byte) uint64 {
	return uint64(2|bits&1) << (bits/2 + 11)
}

// number reads a number of 7 bits per byte, low bits first, in the shortest encoding.
func number(r *wire.Reader) uint64 {
	var n uint64
	for shift := 0; shift < 63; shift += 7 {
		b := r.Uint8()
		n |= uint64(b&0x7f) << shift
		if b == 0 && shift > 0 {
			break
		}
		if b&0x80 == 0 {
			return n
		}
	}
	r.Fail("number too long")
	return 0
}
