package xz

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// The older format, .lzma, is LZMA alone: a head with the properties, the dictionary size and the content
// size, all ones if unknown; then one chunk of any size, which may end with a marker. There is no checksum.
const (
	aloneHead   = 13
	maxAlone    = 1 << 38 // bytes of content, if the head says how many
	maxSymbol   = 24      // more bytes than a symbol takes
	minInput    = 1 << 14 // bytes of input that are wanted, if there are so many
	firstOutput = 1 << 18 // bytes of output there is room for until there is more
)

// An Alone reads the content of an .lzma file from its beginning.
type Alone struct {
	pieces
	r       io.Reader
	readErr error // why there is no more input
	d       decoder
	left    uint64 // of the content
	known   bool   // if that is
	limit   int    // of the room for output
}

// NewAlone returns an Alone that reads r, and reads the head.
func NewAlone(r io.Reader) (*Alone, error) {
	a := &Alone{r: r}
	a.next = a.unpack
	d := &a.d
	a.fill()
	if d.size < aloneHead+5 {
		return nil, a.readErr
	}
	dictionary, size := binary.LittleEndian.Uint32(d.in[1:]), binary.LittleEndian.Uint64(d.in[5:])
	if dictionary > maxDictionary {
		return nil, errDictionary
	}
	// Like xz it rejects sizes that no program writes: nothing else identifies a file.
	largest := uint32(1) << max(bits.Len32(dictionary)-1, 0)
	if dictionary != largest && dictionary != largest|largest>>1 || size >= maxAlone && size != math.MaxUint64 {
		return nil, fmt.Errorf("%w: LZMA of %d bytes with a dictionary of %d", errLayout, size, dictionary)
	}
	if err := d.setProps(d.in[0]); err != nil {
		return nil, err
	}
	if d.in[aloneHead] != 0 {
		return nil, fmt.Errorf("%w: LZMA begins with %#x", errDamage, d.in[aloneHead])
	}
	a.left, a.known = size, size != math.MaxUint64
	d.coder = coder{span: 1<<32 - 1, code: uint64(binary.BigEndian.Uint32(d.in[aloneHead+1:])), pos: aloneHead + 5}
	d.keep = max(int(dictionary), 1<<12)
	a.limit = int(room(int64(d.keep), math.MaxInt64))
	d.out = make([]byte, firstOutput)
	return a, nil
}

// Memory returns how many bytes a may take.
func (a *Alone) Memory() int64 { return int64(a.limit) + overhead }

func (a *Alone) fill() {
	d := &a.d
	if a.readErr != nil || d.size-d.coder.pos >= minInput {
		return
	}
	d.size = copy(d.in[:], d.in[min(d.coder.pos, d.size):d.size])
	d.coder.pos = 0
	n, err := io.ReadAtLeast(a.r, d.in[d.size:maxPacked], minInput-d.size)
	d.size += n
	if a.readErr = err; err == io.EOF {
		a.readErr = io.ErrUnexpectedEOF
	}
	clear(d.in[d.size : d.size+64])
}

// unpack unpacks a piece of the content. It may return a piece beside an error.
func (a *Alone) unpack() ([]byte, error) {
	d := &a.d
	d.left = math.MaxInt / 2
	if len(d.out)-d.pos < maxPiece+maxMatch && len(d.out) < a.limit {
		out := make([]byte, min(2*len(d.out), a.limit))
		copy(out, d.out[:d.pos])
		d.out = out
	}
	d.makeRoom(maxPiece)
	for start := d.pos; ; {
		a.fill()
		if a.known && a.left == 0 && d.pos > start {
			return d.out[start:d.pos], nil
		} else if a.known && a.left == 0 {
			return nil, a.end()
		}
		// No more than there is input for: at most one symbol is then unpacked from beyond its end.
		n := max(min(maxPiece-(d.pos-start), (d.size-d.coder.pos)/maxSymbol), 1)
		if a.known {
			d.left = int(min(a.left, math.MaxInt/2))
			n = min(n, d.left)
		}
		before := d.pos
		err := d.run(before + n)
		a.left -= uint64(d.pos - before)
		switch {
		case d.coder.pos > d.size:
			return d.out[start:before], a.readErr
		case err != nil && d.rep[0] == marker && !a.known:
			return d.out[start:d.pos], a.finished()
		case err != nil || d.pos-start >= maxPiece:
			return d.out[start:d.pos], err
		}
	}
}

// marker is the distance, less one, of the match that marks the end.
const marker = math.MaxUint32

// end checks the end of content of a known size: a marker, or nothing.
func (a *Alone) end() error {
	d := &a.d
	if d.code == 0 && d.coder.pos == d.size {
		return a.finished()
	}
	if d.run(d.pos+1) == nil || d.rep[0] != marker {
		return fmt.Errorf("%w: LZMA of another size than its head says", errDamage)
	}
	return a.finished()
}

func (a *Alone) finished() error {
	d := &a.d
	if a.fill(); a.readErr == io.ErrUnexpectedEOF && d.coder.pos == d.size && d.code == 0 {
		return io.EOF
	} else if a.readErr != io.ErrUnexpectedEOF && a.readErr != nil || d.coder.pos > d.size {
		return a.readErr
	}
	return fmt.Errorf("%w: LZMA does not end where it should", errDamage)
}
