package xz

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

var errDamage = errors.New("damaged")

// The probabilities that a bit is 0, in 2048ths, by what the bit is about: their first places in decoder.probs.
const (
	isMatch  = 0               // by state and place
	isLong0  = isMatch + 12*16 // the same
	isRep    = isLong0 + 12*16 // by state, as the next three
	isRep0   = isRep + 12
	isRep1   = isRep0 + 12
	isRep2   = isRep1 + 12
	slots    = isRep2 + 12        // of distances, by length
	nearBits = slots + 4*64       // of the distances of slots before the 14th
	lastBits = nearBits + 115     // of the others
	matchLen = lastBits + 16      // lengths of matches at a new distance
	repLen   = matchLen + lengths // and at one of the last distances
	literals = repLen + lengths   // by place and the byte before

	lengths = 2 + 16*8 + 16*8 + 256
)

// firstMatched is the first state after a symbol other than a literal.
const firstMatched = 7

// marker is the distance, less one, of the match that marks the end.
const marker = math.MaxUint32

var errMarker = errors.New("LZMA ends with a marker")

// A decoder unpacks LZMA symbol by symbol.
type decoder struct {
	in             []byte
	at             int           // place in in
	src            *bufio.Reader // more input; nil if there is none
	srcErr         error         // of src
	err            error         // why a symbol is not complete
	span, code     uint32
	probs          []uint16
	litShift       uint // how many bits of the byte before a literal do not select probabilities
	litMask, place uint32
	state          int
	rep            [4]uint32 // the last distances, less one
	keep           int64     // how far back matches may refer
	out            []byte    // the latest content
	base           int       // place in out before which matches may not refer
	total          uint32    // length of the content from there on, modulo 2^32
}

// setProps sets the properties that a byte encodes, and resets the state.
func (z *decoder) setProps(b byte) error {
	lc, lp, pb := b%9, b/9%5, b/45
	if pb > 4 || lc+lp > 4 {
		return fmt.Errorf("%w: LZMA properties %#x", errDamage, b)
	}
	z.litShift, z.litMask, z.place = uint(8-lc), 1<<lp-1, 1<<pb-1
	z.probs = make([]uint16, literals+0x300<<(lc+lp))
	z.reset()
	return nil
}

func (z *decoder) reset() {
	for i := range z.probs {
		z.probs[i] = 1024
	}
	z.state, z.rep = 0, [4]uint32{}
}

// start reads the first bytes of the input.
func (z *decoder) start() error {
	z.span, z.code = math.MaxUint32, 0
	first := z.byte()
	for range 4 {
		z.code = z.code<<8 | z.byte()
	}
	if z.err == nil && first != 0 {
		return fmt.Errorf("%w: LZMA begins with %#x", errDamage, first)
	}
	return z.err
}

// more reports whether there is more input.
func (z *decoder) more() bool {
	if z.at == len(z.in) && z.src != nil {
		_, _ = z.src.Discard(len(z.in)) // it is there
		_, z.srcErr = z.src.Peek(1)
		z.in, _ = z.src.Peek(z.src.Buffered())
		z.at = 0
	}
	return z.at < len(z.in)
}

func (z *decoder) byte() uint32 {
	if z.at == len(z.in) && !z.more() {
		z.err = io.ErrUnexpectedEOF
		if z.srcErr != nil {
			z.err = truncated(z.srcErr)
		}
		return 0
	}
	z.at++
	return uint32(z.in[z.at-1])
}

// normal brings at least 24 bits into span.
func (z *decoder) normal() {
	if z.span < 1<<24 {
		z.span, z.code = z.span<<8, z.code<<8|z.byte()
	}
}

func (z *decoder) bit(at int) int {
	z.normal()
	p := &z.probs[at]
	bound := z.span >> 11 * uint32(*p)
	if z.code < bound {
		z.span = bound
		*p += (2048 - *p) >> 5
		return 0
	}
	z.span, z.code = z.span-bound, z.code-bound
	*p -= *p >> 5
	return 1
}

// tree decodes a number up to end, a power of two, the highest bit first; n has its bits so far after a bit 1. Most
// bits are decoded here, and cannot be predicted: so there is no branch, but what follows from a bit 0 and a bit 1 is
// computed before one is chosen, by conditional moves. This takes half the time.
func (z *decoder) tree(at, n, end int) int {
	probs, span, code, m := z.probs[at:at+end], uint64(z.span), uint64(z.code), uint64(n)
	w := uint64(probs[n&(end-1)])
	for m < uint64(len(probs)) {
		if span < 1<<24 {
			span, code = span<<8, code<<8|uint64(z.byte())
		}
		p, k := &probs[m], 2*m&uint64(len(probs)-1)
		next0, next := uint64(probs[k]), uint64(probs[k|1])
		bound := span >> 11 * w
		rest, less := bits.Sub64(code, bound, 0)
		m, _ = bits.Sub64(2*m+1, 0, less)
		above, fit := span-bound, 31*w+31
		if code < bound {
			above, rest, fit, next = bound, code, fit+2017, next0
		}
		span, code, w = above, rest, next
		*p = uint16(fit >> 5)
	}
	z.span, z.code = uint32(span), uint32(code)
	return int(m) - end
}

// reverse decodes a number, the lowest bit first.
func (z *decoder) reverse(at, bits int) (sum uint32) {
	n := 1
	for i := range bits {
		b := z.bit(at + n)
		n = 2*n + b
		sum |= uint32(b) << i
	}
	return sum
}

// symbol appends a literal or a match to out.
func (z *decoder) symbol() error {
	place := int(z.total & z.place)
	switch {
	case z.bit(isMatch+16*z.state+place) == 0:
		return z.literal()
	case z.bit(isRep+z.state) == 0:
		length := z.length(matchLen, place)
		z.rep[1], z.rep[2], z.rep[3] = z.rep[0], z.rep[1], z.rep[2]
		z.rep[0] = z.distance(length)
		if z.rep[0] == marker && z.err == nil {
			return errMarker
		}
		z.after(7, 10)
		return z.copy(length)
	case z.bit(isRep0+z.state) == 0:
		if z.bit(isLong0+16*z.state+place) == 0 {
			z.after(9, 11)
			return z.copy(1)
		}
	case z.bit(isRep1+z.state) == 0:
		z.rep[0], z.rep[1] = z.rep[1], z.rep[0]
	case z.bit(isRep2+z.state) == 0:
		z.rep[0], z.rep[1], z.rep[2] = z.rep[2], z.rep[0], z.rep[1]
	default:
		z.rep[0], z.rep[1], z.rep[2], z.rep[3] = z.rep[3], z.rep[0], z.rep[1], z.rep[2]
	}
	length := z.length(repLen, place)
	z.after(8, 11)
	return z.copy(length)
}

// after sets the state after a match: literal if the symbol before it was a literal.
func (z *decoder) after(literal, other int) {
	if z.state < firstMatched {
		z.state = literal
	} else {
		z.state = other
	}
}

// literal appends a byte. After a match, the byte that would have continued the match selects probabilities, as long
// as its bits are the same.
func (z *decoder) literal() error {
	before, other, matched := byte(0), 0, 0
	if len(z.out) > z.base {
		before = z.out[len(z.out)-1]
	}
	if z.state >= firstMatched {
		if int64(z.rep[0]) >= int64(len(z.out)-z.base) {
			return fmt.Errorf("%w: LZMA match", errDamage)
		}
		other, matched = int(z.out[len(z.out)-1-int(z.rep[0])]), 0x100
	}
	at := literals + 0x300*int(z.total&z.litMask<<(8-z.litShift)|uint32(before)>>z.litShift)
	n := 1
	for matched != 0 && n < 0x100 {
		other <<= 1
		b := z.bit(at + matched + other&matched + n)
		if n = 2*n + b; b != other>>8&1 {
			matched = 0
		}
	}
	n = z.tree(at, n, 0x100)
	if z.err != nil {
		return z.err
	}
	z.out = append(z.out, byte(n))
	z.total++
	z.state = [12]int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[z.state]
	return nil
}

func (z *decoder) length(at, place int) int {
	switch {
	case z.bit(at) == 0:
		return 2 + z.tree(at+2+8*place, 1, 8)
	case z.bit(at+1) == 0:
		return 10 + z.tree(at+2+16*8+8*place, 1, 8)
	}
	return 18 + z.tree(at+2+2*16*8, 1, 256)
}

// distance decodes the distance of a match, less one.
func (z *decoder) distance(length int) uint32 {
	slot := z.tree(slots+64*min(length-2, 3), 1, 64)
	if slot < 4 {
		return uint32(slot)
	}
	bits := slot>>1 - 1
	dist := uint32(2|slot&1) << bits
	if slot < 14 {
		return dist + z.reverse(nearBits+int(dist)-slot, bits)
	}
	for i := bits - 1; i >= 4; i-- { // these bits have no probability
		z.normal()
		if z.span >>= 1; z.code >= z.span {
			z.code -= z.span
			dist += 1 << i
		}
	}
	return dist + z.reverse(lastBits, 4)
}

// copy appends a match.
func (z *decoder) copy(length int) error {
	from := int64(len(z.out)) - 1 - int64(z.rep[0])
	switch {
	case z.err != nil:
		return z.err
	case from < int64(z.base) || int64(z.rep[0]) >= z.keep:
		return fmt.Errorf("%w: LZMA match", errDamage)
	}
	z.total += uint32(length)
	for end := len(z.out) + length; len(z.out) < end; { // what is copied can be copied again
		z.out = append(z.out, z.out[from:min(int(from)+end-len(z.out), len(z.out))]...)
	}
	return nil
}
