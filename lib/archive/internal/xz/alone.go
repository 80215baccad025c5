package xz

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// The older format, .lzma, is LZMA alone: a head with the properties, the dictionary size and the content
// size, all ones if unknown; then the content, which may end with a marker. There is no checksum.
const (
	aloneHead = 13
	maxAlone  = 1 << 38 // bytes of content, if the head says how many
)

// An Alone reads the content of an .lzma file from its beginning.
type Alone struct {
	content
	left  uint64 // of the content
	known bool   // if that is
}

// NewAlone returns an Alone that reads in, and reads the head. Like xz it rejects properties, dictionaries and
// sizes that no program writes: nothing else identifies a file.
func NewAlone(in *bufio.Reader) (*Alone, error) {
	head, err := in.Peek(aloneHead)
	if err != nil {
		return nil, truncated(err)
	}
	props, dictionary, size := head[0], binary.LittleEndian.Uint32(head[1:]), binary.LittleEndian.Uint64(head[5:])
	largest := uint32(1) << max(bits.Len32(dictionary)-1, 0)
	switch {
	case dictionary > maxDictionary:
		return nil, errDictionary
	case dictionary != largest && dictionary != largest|largest>>1 || size >= maxAlone && size != math.MaxUint64:
		return nil, fmt.Errorf("%w: LZMA of %d bytes with a dictionary of %d", errLayout, size, dictionary)
	}
	_, _ = in.Discard(aloneHead) // it is there
	a := &Alone{left: size, known: size != math.MaxUint64}
	a.src, a.keep, a.most, a.next = in, max(int64(dictionary), 1<<12), math.MaxInt64/2, a.step
	if err := a.setProps(props); err != nil {
		return nil, err
	}
	return a, a.start()
}

// Memory returns how many bytes a may take.
func (a *Alone) Memory() int64 { return int64(a.limit()) + overhead }

// step unpacks a symbol, or returns why there is none.
func (a *Alone) step() error {
	if a.known && a.left == 0 {
		return a.endKnown()
	}
	before := len(a.out)
	err := a.symbol()
	n := uint64(len(a.out) - before)
	switch {
	case err == errMarker && !a.known:
		return a.finished()
	case err == errMarker || n > a.left:
		a.out = a.out[:before]
		return fmt.Errorf("%w: LZMA match", errDamage)
	}
	a.left -= n
	return err
}

// endKnown checks the end of content of a known size: a marker, or nothing.
func (a *Alone) endKnown() error {
	a.normal()
	if (a.more() || a.code != 0) && a.symbol() != errMarker {
		return fmt.Errorf("%w: LZMA of another size than its head says", errDamage)
	}
	return a.finished()
}

// finished checks that the file ends.
func (a *Alone) finished() error {
	if a.normal(); a.err != nil {
		return a.err
	}
	if a.more() || a.code != 0 {
		return fmt.Errorf("%w: LZMA does not end where it should", errDamage)
	}
	return a.srcErr
}

// truncated returns err for a file that has to go on.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
