package xz

import (
	"errors"
	"math/bits"
)

// The model of LZMA: which symbols there are, and the probabilities by which they are coded.

var errDamage = errors.New("damaged")

// A prob is the probability of a bit 0, in 2048ths.
type prob uint16

const evens prob = 1024

const (
	states     = 12
	posStates  = 16
	lenLow     = 8
	lenHigh    = 256
	minMatch   = 2
	slotStates = 4
	slots      = 64
	nearSlots  = 14  // distances of these and later slots have bits without a probability
	nearProbs  = 115 // of the bits of the distances of earlier slots
	alignBits  = 4
)

type lengths struct {
	choice [2]prob
	low    [posStates][lenLow]prob
	mid    [posStates][lenLow]prob
	high   [lenHigh]prob
}

// model is the part of a decoder that a state reset resets.
type model struct {
	state  uint32
	rep    [4]uint32 // the last distances, less one
	match  [states][posStates]prob
	isRep  [states]prob
	isRep0 [states]prob
	long0  [states][posStates]prob
	isRep1 [states]prob
	isRep2 [states]prob
	slot   [slotStates][slots]prob
	near   [nearProbs]prob
	align  [1 << alignBits]prob
	match1 lengths // of matches at a new distance
	match2 lengths // of matches at one of the last distances
	lit    []literals
}

func (m *model) reset(contexts int) {
	*m = model{lit: m.lit}
	if cap(m.lit) < contexts {
		m.lit = make([]literals, contexts)
	}
	m.lit = m.lit[:contexts]
	fill := func(p []prob) {
		for i := range p {
			p[i] = evens
		}
	}
	for i := range m.match {
		fill(m.match[i][:])
		fill(m.long0[i][:])
	}
	for _, p := range [...][]prob{m.isRep[:], m.isRep0[:], m.isRep1[:], m.isRep2[:], m.near[:], m.align[:]} {
		fill(p)
	}
	for i := range m.slot {
		fill(m.slot[i][:])
	}
	for i := range m.lit {
		fill(m.lit[i][:0x300])
	}
	for _, l := range [...]*lengths{&m.match1, &m.match2} {
		fill(l.choice[:])
		fill(l.high[:])
		for i := range l.low {
			fill(l.low[i][:])
			fill(l.mid[i][:])
		}
	}
}

// A coder is the state of the range decoder, its input position included. It is passed by value, so that it
// stays in registers.
type coder struct {
	span, code uint64 // of 32 bits, if nothing is damaged
	pos        int
}

// input holds the bytes of a chunk, and zeros after them. Its size is a power of two, so that a place
// needs no check; the place is checked at each symbol.
type input [1 << 17]byte

// normal returns c with at least 24 bits in span.
func (c coder) normal(in *input) coder {
	if c.span < 1<<24 {
		c.span <<= 8
		c.code = c.code<<8 | uint64(in[c.pos&(len(in)-1)])
		c.pos++
	}
	return c
}

// bound returns the code from which on the next bit is 1. There must be enough bits in span.
func (c coder) bound(p *prob) uint64 { return c.span >> 11 * uint64(*p) }

func (c coder) zero(p *prob, bound uint64) coder {
	c.span = bound
	*p += (2048 - *p) >> 5
	return c
}

func (c coder) one(p *prob, bound uint64) coder {
	c.span -= bound
	c.code -= bound
	*p -= *p >> 5
	return c
}

func (c coder) bit(p *prob) (coder, bool) {
	bound := c.bound(p)
	if c.code < bound {
		return c.zero(p, bound), false
	}
	return c.one(p, bound), true
}

// split decodes a bit of probability w without a branch, for bits that cannot be predicted. There must be
// enough bits in span. It returns n, which is odd, less one if the bit is 0; the adapted probability in
// 65536ths; and next0 or next1, the probability of the next bit.
func (c coder) split(w, n, next0, next1 uint64) (_ coder, _, fit, next uint64) {
	bound := c.span >> 11 * w
	code, less := bits.Sub64(c.code, bound, 0)
	n, _ = bits.Sub64(n, 0, less)
	span := c.span - bound
	fit = 31*w + 31
	if c.code < bound {
		span, code, fit, next1 = bound, c.code, fit+2017, next0
	}
	return coder{span, code, c.pos}, n, fit, next1
}

// tree decodes a number of len(probs) values, a power of two, the highest bit first.
func (c coder) tree(in *input, probs []prob) (coder, uint32) {
	n := uint64(1)
	w := uint64(probs[1])
	for n < uint64(len(probs)) {
		c = c.normal(in)
		at := n
		var fit uint64
		k := 2 * n & uint64(len(probs)-1)
		c, n, fit, w = c.split(w, 2*n+1, uint64(probs[k]), uint64(probs[k|1]))
		probs[at] = prob(fit >> 5)
	}
	return c, uint32(n) - uint32(len(probs))
}

// reverse decodes a number of some bits, the lowest first.
func (c coder) reverse(in *input, probs []prob, count int) (coder, uint32) {
	n, sum := uint64(1), uint64(0)
	for i := range count {
		c = c.normal(in)
		at := n
		var fit uint64
		c, n, fit, _ = c.split(uint64(probs[at]), 2*n+1, 0, 0)
		probs[at] = prob(fit >> 5)
		sum |= n & 1 << i
	}
	return c, uint32(sum)
}

func (c coder) direct(in *input, n int) (coder, uint32) {
	var sum uint64
	for range n {
		c = c.normal(in)
		c.span >>= 1
		code, less := bits.Sub64(c.code, c.span, 0)
		if c.code >= c.span {
			c.code = code
		}
		sum = 2*sum + 1 - less
	}
	return c, uint32(sum)
}

func (c coder) length(in *input, l *lengths, posState uint32) (coder, int) {
	probs, least := &l.low[posState], minMatch
	c, b := c.normal(in).bit(&l.choice[0])
	if b {
		if c, b = c.normal(in).bit(&l.choice[1]); b {
			c, n := c.tree(in, l.high[:])
			return c, minMatch + 2*lenLow + int(n)
		}
		probs, least = &l.mid[posState], minMatch+lenLow
	}
	n := uint64(1)
	w := uint64(probs[1])
	for n < 8 {
		c = c.normal(in)
		at, k := n, 2*n&7
		var fit uint64
		c, n, fit, w = c.split(w, 2*n+1, uint64(probs[k]), uint64(probs[k|1]))
		probs[at] = prob(fit >> 5)
	}
	return c, least + int(n-8)
}

// distance decodes the distance of a match, less one.
func (c coder) distance(in *input, m *model, length int) (coder, uint32) {
	c, slot := c.tree(in, m.slot[min(length-minMatch, slotStates-1)][:])
	if slot < 4 {
		return c, slot
	}
	bits := int(slot>>1) - 1
	dist := (2 | slot&1) << bits
	if slot < nearSlots {
		c, low := c.reverse(in, m.near[dist-slot:], bits)
		return c, dist + low
	}
	c, high := c.direct(in, bits-alignBits)
	c, low := c.reverse(in, m.align[:], alignBits)
	return c, dist + high<<alignBits + low
}

// literals are the probabilities of the bits of a byte: alone, and after a match whose next byte has a bit
// 0, or 1. The last quarter lets a number of 10 bits be an index.
type literals [0x400]prob

// literal decodes a byte; n has its highest bits so far, after a bit 1.
func (c coder) literal(in *input, probs *literals, n uint64) (coder, byte) {
	w := uint64(probs[n&0xff])
	for n < 0x100 {
		c = c.normal(in)
		at, k := n, 2*n
		var fit uint64
		c, n, fit, w = c.split(w, k+1, uint64(probs[k]), uint64(probs[k+1]))
		probs[at] = prob(fit >> 5)
	}
	return c, byte(n)
}

// matched decodes a byte after a match. The byte that would have continued the match selects the
// probabilities, as long as its bits are the same.
func (c coder) matched(in *input, probs *literals, other byte) (coder, byte) {
	for rest := uint64(other) | 0x100; rest < 0x10000; {
		c = c.normal(in)
		n := rest >> 8
		rest <<= 1
		at := (n + 0x100 + rest&0x100) & 0x3ff
		var fit uint64
		c, n, fit, _ = c.split(uint64(probs[at]), 2*n+1, 0, 0)
		probs[at] = prob(fit >> 5)
		if n != rest>>8 {
			return c.literal(in, probs, n)
		}
	}
	return c, other
}
