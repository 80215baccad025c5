package xz

import "errors"

// The model of LZMA: which symbols there are, and the probabilities by which they are coded.

// errDamage is wrapped by all errors about what is unpacked.
var errDamage = errors.New("damaged")

// A prob is the probability of a bit 0, in 2048ths.
type prob uint16

// evens is the probability before anything is known.
const evens prob = 1024

// Sizes of the model.
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

// lengths are the probabilities of the lengths of matches.
type lengths struct {
	choice [2]prob
	low    [posStates][lenLow]prob
	mid    [posStates][lenLow]prob
	high   [lenHigh]prob
}

// model is the state of a decoder that a state reset resets.
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
	lit    []prob  // 0x300 for each context
}

// reset makes all bits as probable as not.
func (m *model) reset(literals int) {
	*m = model{lit: m.lit}
	if n := 0x300 * literals; cap(m.lit) < n {
		m.lit = make([]prob, n)
	} else {
		m.lit = m.lit[:n]
	}
	fill := func(p []prob) {
		for i := range p {
			p[i] = evens
		}
	}
	for i := range m.match {
		fill(m.match[i][:])
		fill(m.long0[i][:])
	}
	for _, p := range [...][]prob{m.isRep[:], m.isRep0[:], m.isRep1[:], m.isRep2[:], m.near[:], m.align[:], m.lit} {
		fill(p)
	}
	for i := range m.slot {
		fill(m.slot[i][:])
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

// A coder is the state of the range decoder: the place in its input too. It is passed by value, so
// that it stays in registers.
type coder struct {
	span, code uint32
	pos        int
}

// input holds the bytes of a chunk, with zeros behind it. Its size is a power of two, so that a place
// needs no check; the place is checked at each symbol.
type input [1 << 17]byte

// normal returns c with at least 24 bits in span.
func (c coder) normal(in *input) coder {
	if c.span < 1<<24 {
		c.span <<= 8
		c.code = c.code<<8 | uint32(in[c.pos&(len(in)-1)])
		c.pos++
	}
	return c
}

// bit decodes a bit, and adapts its probability.
func (c coder) bit(in *input, p *prob) (coder, uint32) {
	c = c.normal(in)
	bound := c.span >> 11 * uint32(*p)
	if c.code < bound {
		c.span = bound
		*p += (2048 - *p) >> 5
		return c, 0
	}
	c.span -= bound
	c.code -= bound
	*p -= *p >> 5
	return c, 1
}

// pick is bit without a branch, for bits that cannot be predicted. There must be enough bits in span.
func (c coder) pick(p *prob) (coder, uint32) {
	w := uint32(*p)
	bound := c.span >> 11 * w
	zero := uint32((uint64(c.code) - uint64(bound)) >> 32) // all ones if the bit is 0
	c.span = c.span - bound + (2*bound-c.span)&zero
	c.code -= bound &^ zero
	*p = prob(w - uint32(int32(w-2017&zero)>>5))
	return c, zero + 1
}

// tree decodes a number of len(probs) values, a power of two, the highest bit first.
func (c coder) tree(in *input, probs []prob) (coder, uint32) {
	n := uint32(1)
	for n < uint32(len(probs)) {
		var b uint32
		c, b = c.normal(in).pick(&probs[n])
		n = n<<1 | b
	}
	return c, n - uint32(len(probs))
}

// reverse decodes a number of some bits, the lowest first.
func (c coder) reverse(in *input, probs []prob, bits int) (coder, uint32) {
	n, sum := uint32(1), uint32(0)
	for i := range bits {
		var b uint32
		c, b = c.normal(in).pick(&probs[n])
		n = n<<1 | b
		sum |= b << i
	}
	return c, sum
}

// direct decodes a number of some bits that are as probable as not.
func (c coder) direct(in *input, bits int) (coder, uint32) {
	var sum uint32
	for range bits {
		c = c.normal(in)
		c.span >>= 1
		c.code -= c.span
		mask := 0 - c.code>>31 // all ones if the bit is 0
		c.code += c.span & mask
		sum = sum<<1 + mask + 1
	}
	return c, sum
}

// length decodes the length of a match.
func (c coder) length(in *input, l *lengths, posState uint32) (coder, int) {
	c, b := c.bit(in, &l.choice[0])
	if b == 0 {
		c, n := c.tree(in, l.low[posState][:])
		return c, minMatch + int(n)
	}
	if c, b = c.bit(in, &l.choice[1]); b == 0 {
		c, n := c.tree(in, l.mid[posState][:])
		return c, minMatch + lenLow + int(n)
	}
	c, n := c.tree(in, l.high[:])
	return c, minMatch + 2*lenLow + int(n)
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

// literal decodes a byte.
func (c coder) literal(in *input, probs []prob) (coder, byte) {
	probs = probs[:0x100]
	n := uint32(1)
	for n < 0x100 {
		var b uint32
		c, b = c.normal(in).pick(&probs[n])
		n = n<<1 | b
	}
	return c, byte(n)
}

// matched decodes a byte behind a match, of which the byte that would have continued the match says
// something.
func (c coder) matched(in *input, probs []prob, other byte) (coder, byte) {
	probs = probs[:0x300]
	n, off, rest := uint32(1), uint32(0x100), uint32(other)
	for n < 0x100 {
		rest <<= 1
		expected := rest & off
		var b uint32
		c, b = c.normal(in).pick(&probs[off+expected+n])
		n = n<<1 | b
		off &= expected ^ (b - 1) // as long as the bits are those of the other byte
	}
	return c, byte(n)
}
