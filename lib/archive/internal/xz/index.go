// Package xz unpacks xz files: their streams of blocks, which are packed by LZMA2. Each block can be
// unpacked by itself.
package xz

import (
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

// Errors about what an xz file says of itself.
var (
	errLayout     = errors.New("damaged xz file")
	errDictionary = errors.New("dictionary of compressed file is too large")
)

// Limits on what no program writes.
const (
	maxHeader     = 1024      // bytes of a block's header
	maxDictionary = 256 << 20 // bytes that a block may refer back to: xz -9 uses 64 MiB
	maxContent    = 1 << 50   // bytes of content
	maxIndex      = 64 << 20  // bytes of an index: one of a content of several terabytes
	maxPadding    = 1 << 16   // units of four bytes between and after streams
)

// endSize is the length of the header and of the footer of an xz stream.
const endSize = 12

// A File is the layout of an xz file, which its end describes.
type File struct {
	Size   int64 // of the content
	Blocks []Block
	in     io.ReaderAt
}

// A Block is a piece of the content.
type Block struct {
	Start, Size int64 // in the content
	pos, length int64 // in the file, with its header, padding and check
	check       byte  // what is at its end
	dictionary  int64
}

// Open reads the layout of a file of some size, and checks it: whether the file is complete, the
// length of its content, and the memory it needs. It reads the streams from the last to the first.
func Open(ctx context.Context, in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in}
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
		if _, err := in.ReadAt(footer, pos-endSize); err != nil {
			return nil, err
		}
		if binary.BigEndian.Uint32(footer[8:]) == 0 { // padding
			pos -= 4
			if padding++; padding > maxPadding {
				return nil, errLayout
			}
			continue
		}
		length := (int64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
		if string(footer[10:]) != "YZ" || length > min(pos-2*endSize, maxIndex) || !sealed(footer[4:10], footer) {
			return nil, errLayout
		}
		start, err := f.addStream(ctx, footer[9]&15, pos-endSize-length, length)
		if err != nil {
			return nil, err
		}
		pos = start
	}
	slices.Reverse(f.Blocks)
	for i := range f.Blocks {
		f.Blocks[i].Start = f.Size
		f.Size += f.Blocks[i].Size
	}
	return f, nil
}

// Reopen makes f go on with another descriptor of the same file. Nothing must be at work on it.
func (f *File) Reopen(in io.ReaderAt) { f.in = in }

// Find returns the block that holds an offset of the content, or the block nearest to it.
func (f *File) Find(off int64) int {
	i := sort.Search(len(f.Blocks), func(i int) bool { return f.Blocks[i].Start > off })
	return max(i-1, 0)
}

// sealed reports whether a checksum is that of b.
func sealed(b, sum []byte) bool { return binary.LittleEndian.Uint32(sum) == crc32.ChecksumIEEE(b) }

// addStream adds the blocks of a stream, the last one first: those that its index, which begins at
// offset end, lists. It returns where the stream starts.
func (f *File) addStream(ctx context.Context, check byte, end, length int64) (start int64, err error) {
	index := make([]byte, length)
	if _, err := f.in.ReadAt(index, end); err != nil {
		return 0, err
	}
	r := wire.NewReader(index)
	r.Skip(1)
	first := len(f.Blocks)
	var packed int64
	content := f.content()
	for n := number(&r); n > 0 && r.Err() == nil; n-- {
		size, plain := number(&r), number(&r)
		if size > uint64(end) || plain > maxContent || content+int64(plain) > maxContent {
			return 0, errLayout
		}
		b := Block{pos: packed, length: int64(size+3) &^ 3, Size: int64(plain), check: check}
		f.Blocks = append(f.Blocks, b)
		content += b.Size
		if packed += b.length; packed > end {
			return 0, errLayout
		}
	}
	start = end - packed - endSize
	if r.Err() != nil || start < 0 || r.Len() < 4 || !sealed(index[:length-4], index[length-4:]) {
		return 0, errLayout
	}
	head := make([]byte, endSize)
	if _, err := f.in.ReadAt(head, start); err != nil {
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

// content returns how much content the blocks have that are known.
func (f *File) content() (n int64) {
	for i := range f.Blocks {
		n += f.Blocks[i].Size
	}
	return n
}

// checkBlock checks the header of a block, and notes the size of its dictionary.
func (f *File) checkBlock(b *Block) error {
	header := make([]byte, min(b.length, maxHeader))
	if _, err := f.in.ReadAt(header, b.pos); err != nil {
		return err
	}
	_, err := b.header(header)
	return err
}

// header reads the header of a block, and returns its length.
func (b *Block) header(src []byte) (int, error) {
	if len(src) == 0 || src[0] == 0 || len(src) < 4*int(src[0])+4 {
		return 0, errLayout
	}
	length := 4*int(src[0]) + 4
	r := wire.NewReader(src[1 : length-4])
	flags := r.Uint8()
	for bit := uint8(0x40); bit != 0; bit <<= 1 {
		if flags&bit != 0 {
			number(&r)
		}
	}
	const lzma2 = 0x21
	id, props := number(&r), r.Bytes(int(min(number(&r), 1024)))
	switch {
	case r.Err() != nil || flags&0x3c != 0 || !sealed(src[:length-4], src[length-4:]):
		return 0, errLayout
	case flags&3 != 0 || id != lzma2 || len(props) != 1 || props[0] > 40:
		return 0, fmt.Errorf("%w: a filter other than LZMA2", errLayout)
	case dictionarySize(props[0]) > maxDictionary:
		return 0, errDictionary
	}
	b.dictionary = int64(dictionarySize(props[0]))
	return length, nil
}

// dictionarySize decodes the byte that gives the size of a dictionary.
func dictionarySize(bits byte) uint64 {
	return uint64(2|bits&1) << (bits/2 + 11)
}

// number takes a number of 7 bits per byte, the low ones first.
func number(r *wire.Reader) uint64 {
	var n uint64
	for shift := 0; shift < 63; shift += 7 {
		b := r.Uint8()
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n
		}
	}
	r.Fail("number too long")
	return 0
}
