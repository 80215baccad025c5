// Package zstd unpacks files of Zstandard (RFC 8878).
//
// A decoder reads a file block by block as far as its codes go: what it leaves is literals and
// sequences. A window puts them together to the content. The two can work at the same time.
package zstd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Errors about what a file says.
var (
	errLayout = errors.New("no zstd file")
	errDamage = errors.New("damaged zstd file")
	errLimit  = errors.New("zstd file cannot be unpacked")
)

// missing is the error of a block that ends early.
func missing() error { return fmt.Errorf("%w: part of a block is missing", errDamage) }

// Limits of the format, and of what it is good for.
const (
	maxBlock  = 128 << 10 // bytes of content of a block
	minWindow = 1 << 10
	maxWindow = 256 << 20 // bytes that a match may refer back to: zstd --long=28 uses as much
)

// The numbers that frames begin with. There are 16 of those that are skipped.
const (
	magic     = 0xfd2fb528
	skippable = 0x184d2a50
)

// A frame is a file of its own: a file may consist of several.
type frame struct {
	window   int
	size     int64 // of the content, -1 if it is not said
	checksum bool
	maxBlock int
}

// A block is a piece of content, as the decoder leaves it.
type block struct {
	frame    *frame
	first    bool // of its frame
	last     bool
	checksum uint32 // behind the last one
	at       int64  // where it is in the file
	size     int    // of its content
	seqs     []sequence
	lits     []byte // of the sequences and behind them, with a pad
	buf      *packed
	own      []byte // of literals that are not in buf
	err      error  // why there is no block
}

// A decoder reads blocks.
type decoder struct {
	*frame   // nil between frames
	in       io.Reader
	pos      int64 // in the file
	huffman  huffman
	weights  fse
	tables   [3]fse    // of the codes of sequences
	repeated [3]uint32 // the last distances
	head     [8]byte
}

// sized returns b with some length, new if it is too small.
func sized[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+n/4)
	}
	return b[:n]
}

// read fills b with the next bytes of the file.
func (d *decoder) read(b []byte) error {
	n, err := io.ReadFull(d.in, b)
	d.pos += int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// number reads a number of some bytes.
func (d *decoder) number(size int) (uint64, error) {
	clear(d.head[:])
	err := d.read(d.head[:size])
	return binary.LittleEndian.Uint64(d.head[:]), err
}

// next reads the next block. The error behind the last frame is io.EOF.
func (d *decoder) next(k *block) error {
	k.first = d.frame == nil
	if k.first {
		if err := d.header(); err != nil {
			return err
		}
	}
	k.frame, k.at = d.frame, d.pos
	if err := d.block(k); err != nil {
		return fmt.Errorf("block at byte %d: %w", k.at, err)
	}
	if k.last {
		if d.checksum {
			sum, err := d.number(4)
			if err != nil {
				return err
			}
			k.checksum = uint32(sum)
		}
		d.frame = nil
	}
	return nil
}

// header reads the header of the next frame that has content.
func (d *decoder) header() error {
	for {
		at := d.pos
		kind, err := d.number(4)
		switch {
		case err == io.ErrUnexpectedEOF && d.pos == at && at > 0:
			return io.EOF
		case err != nil:
			return err
		case kind == magic:
			if err := d.descriptor(); err != nil {
				return fmt.Errorf("frame at byte %d: %w", at, err)
			}
			return nil
		case kind&^15 != skippable:
			return fmt.Errorf("%w: no frame at byte %d, but %#x", errLayout, at, kind)
		}
		size, err := d.number(4)
		if err != nil {
			return err
		}
		n, err := io.CopyN(io.Discard, d.in, int64(size))
		if d.pos += n; err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
}

// descriptor reads the header of a frame behind its magic number (RFC 8878 3.1.1.1), and begins it.
func (d *decoder) descriptor() error {
	flags, err := d.number(1)
	if err != nil {
		return err
	}
	if flags&8 != 0 {
		return fmt.Errorf("%w: reserved bit", errDamage)
	}
	f := &frame{size: -1, checksum: flags&4 != 0}
	single := flags&32 != 0
	window := uint64(minWindow)
	if !single {
		b, err := d.number(1)
		if err != nil {
			return err
		}
		window <<= b >> 3
		window += window / 8 * (b & 7)
	}
	id, err := d.number([4]int{0, 1, 2, 4}[flags&3])
	if err != nil {
		return err
	}
	if id != 0 {
		return fmt.Errorf("%w: it needs dictionary %d", errLimit, id)
	}
	width := [4]int{0, 2, 4, 8}[flags>>6]
	if single && width == 0 {
		width = 1
	}
	size, err := d.number(width)
	if err != nil {
		return err
	}
	if width == 2 {
		size += 256
	}
	if single {
		window = max(size, minWindow)
	}
	if window > maxWindow || size > 1<<62 {
		return fmt.Errorf("%w: it needs a window of %d bytes, at most %d are possible", errLimit, window, maxWindow)
	}
	if width > 0 {
		f.size = int64(size)
	}
	f.window, f.maxBlock = int(window), int(min(window, maxBlock))
	d.begin(f)
	return nil
}

// begin begins a frame.
func (d *decoder) begin(f *frame) {
	d.frame = f
	d.repeated = [3]uint32{1, 4, 8}
	d.huffman.set = false
	for i := range d.tables {
		d.tables[i].set = false
	}
}

// The kinds of blocks.
const (
	blockRaw = iota
	blockRLE
	blockPacked
)

// block reads a block (RFC 8878 3.1.1.2).
func (d *decoder) block(k *block) error {
	head, err := d.number(3)
	if err != nil {
		return err
	}
	k.last = head&1 != 0
	kind, size := head>>1&3, int(head>>3)
	if size > d.maxBlock {
		return fmt.Errorf("%w: %d bytes, at most %d are possible", errDamage, size, d.maxBlock)
	}
	n := size
	if kind == blockRLE {
		n = 1
	}
	if k.buf == nil {
		k.buf = new(packed)
	}
	if err := d.read(k.buf[pad : pad+n]); err != nil {
		return err
	}
	k.size, k.seqs = size, k.seqs[:0]
	switch kind {
	case blockRaw:
		k.lits = k.buf[pad : pad+size+pad]
		return nil
	case blockRLE:
		k.own = sized(k.own, size+pad)
		k.lits = k.own
		for i := range k.lits {
			k.lits[i] = k.buf[pad]
		}
		return nil
	case blockPacked:
		at, err := d.literals(k, pad, pad+size)
		if err != nil {
			return err
		}
		k.size = len(k.lits) - pad
		return d.sequences(k, at, pad+size)
	}
	return fmt.Errorf("%w: block of an unknown kind", errDamage)
}
