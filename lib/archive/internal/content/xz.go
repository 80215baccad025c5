package content

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"pmtools/lib/internal/wire"
)

var (
	errSuffix     = errors.New("unknown kind of compressed file")
	errXZLayout   = errors.New("damaged xz file")
	errDictionary = errors.New("dictionary of compressed file is too large")
)

// Limits on what no program writes.
const (
	maxContent = 1 << 50  // bytes of content
	maxXZIndex = 64 << 20 // bytes of an index: one of a content of several terabytes
	maxPadding = 1 << 16  // units of four bytes between and after streams
)

// xzEnd is the length of the header and of the footer of an xz stream.
const xzEnd = 12

// checkXZ checks the layout of an xz file, which the end of the file describes: whether it is
// complete, the length of its content, and the memory it needs. It reads the streams from the last
// to the first.
func checkXZ(ctx context.Context, f io.ReaderAt, size int64) error {
	var total uint64
	padding := 0
	for pos := size; pos > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		footer := make([]byte, xzEnd)
		if pos < 2*xzEnd {
			return errXZLayout
		}
		if _, err := f.ReadAt(footer, pos-xzEnd); err != nil {
			return err
		}
		if binary.BigEndian.Uint32(footer[8:]) == 0 { // padding
			pos -= 4
			if padding++; padding > maxPadding {
				return errXZLayout
			}
			continue
		}
		length := (int64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
		if string(footer[10:]) != "YZ" || length > min(pos-2*xzEnd, maxXZIndex) {
			return errXZLayout
		}
		index := make([]byte, length)
		if _, err := f.ReadAt(index, pos-xzEnd-length); err != nil {
			return err
		}
		start, content, err := checkXZStream(ctx, f, index, pos-xzEnd-length)
		if err != nil {
			return err
		}
		if total += content; content > maxContent || total > maxContent {
			return errXZLayout
		}
		pos = start
	}
	return nil
}

// checkXZStream checks the blocks that the index of a stream lists and that end at offset end. It
// returns the start of the stream and the length of its content.
func checkXZStream(ctx context.Context, f io.ReaderAt, index []byte, end int64) (start int64, content uint64, err error) {
	r := wire.NewReader(index)
	r.Skip(1)
	var sizes []int64
	var blocks int64
	for n := xzNumber(&r); n > 0 && r.Err() == nil; n-- {
		size, plain := xzNumber(&r), xzNumber(&r)
		if size > uint64(end) || plain > maxContent || content > maxContent {
			return 0, 0, errXZLayout
		}
		padded := int64(size+3) &^ 3
		sizes = append(sizes, padded)
		blocks += padded
		content += plain
		if blocks > end {
			return 0, 0, errXZLayout
		}
	}
	start = end - blocks - xzEnd
	if r.Err() != nil || start < 0 {
		return 0, 0, errXZLayout
	}
	pos := start + xzEnd
	for _, size := range sizes {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if err := checkXZBlock(f, pos, size); err != nil {
			return 0, 0, err
		}
		pos += size
	}
	return start, content, nil
}

// checkXZBlock checks the size of the dictionary in the header of a block.
func checkXZBlock(f io.ReaderAt, pos, size int64) error {
	header := make([]byte, min(size, 1024))
	if _, err := f.ReadAt(header, pos); err != nil {
		return err
	}
	r := wire.NewReader(header)
	r.Skip(1)
	flags := r.Uint8()
	for bit := uint8(0x40); bit != 0; bit <<= 1 {
		if flags&bit != 0 {
			xzNumber(&r)
		}
	}
	for range int(flags&3) + 1 {
		id := xzNumber(&r)
		props := r.Bytes(int(min(xzNumber(&r), 1024)))
		const lzma2 = 0x21
		if id == lzma2 && len(props) == 1 && dictionarySize(props[0]) > maxDictionary {
			return errDictionary
		}
	}
	if r.Err() != nil {
		return errXZLayout
	}
	return nil
}

// dictionarySize decodes the byte that gives the size of a dictionary.
func dictionarySize(bits byte) uint64 {
	return uint64(2|bits&1) << (bits/2 + 11)
}

// xzNumber takes a number of 7 bits per byte, the low ones first.
func xzNumber(r *wire.Reader) uint64 {
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
