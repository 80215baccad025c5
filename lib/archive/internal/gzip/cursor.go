package gzip

import "encoding/binary"

// Places in the input and the output are masked by their sizes, which changes none of them: it shows
// the compiler that a word from there is within the arrays.
const (
	inSize  = 64 << 10
	outSize = 128 << 10
	word    = 8
)

// Input holds bytes of a file, and output what they unpack to.
type (
	input  [inSize + word]byte
	output [outSize + word]byte
)

// A cursor is the place in the input. It is passed by value, so that it stays in registers.
type cursor struct {
	bits uint64 // the next ones, the lowest first
	n    uint   // the lowest six bits say how many of them were read; those above will be read again
	pos  int    // the byte behind them
}

// fill reads whole bytes: then there are 56 bits at least.
func (c cursor) fill(in *input) cursor {
	c.bits |= binary.LittleEndian.Uint64(in[c.pos&(inSize-1):]) << (c.n & 63)
	c.pos += 7 - int(c.n>>3&7)
	c.n |= 56
	return c
}

// drop drops the bits that an entry takes.
func (c cursor) drop(e entry) cursor {
	c.bits >>= e & 63
	c.n -= uint(e)
	return c
}

// value returns the number that an entry and the bits behind its code stand for.
func (c cursor) value(e entry) int { return int(e>>16) + int(c.bits&(1<<(e&63)-1)>>(e>>8&15)) }

// back gives back whole bytes.
func (c cursor) back() cursor {
	n := c.n & 7
	return cursor{c.bits & (1<<n - 1), n, c.pos - int(c.n>>3&7)}
}

// align drops the bits up to the next byte.
func (c cursor) align() cursor { return cursor{pos: c.back().pos} }
