package xz

import (
	"encoding/binary"
	"fmt"
)

// A decoder unpacks LZMA2 chunks. Its output buffer doubles as the dictionary, and is rarely moved.
type decoder struct {
	model
	litMask, pbMask uint32 // the bits of the place, for literals with the byte before, that select probabilities
	litShift        uint32 // how many bits of that byte do not
	out             []byte // the latest output
	keep            int    // how much of it may be needed again
	pos             int    // how much of it is there
	dict            int    // where the dictionary begins
	shift           int    // the count of the model since the last reset, less the place in out
	left            int    // of the output of the chunk
	plain           bool   // the chunk is not packed
	in              input
	size            int // of the input
	coder
	needDict  bool // the next chunk must reset the dictionary
	needProps bool // the next packed chunk must have properties
}

// setProps sets the properties that a byte encodes, and resets the state.
func (d *decoder) setProps(b byte) error {
	lc, lp, pb := uint32(b%9), uint32(b/9%5), uint32(b/45)
	if pb > 4 || lc+lp > 4 {
		return fmt.Errorf("%w: LZMA properties %#x", errDamage, b)
	}
	d.litMask, d.litShift, d.pbMask = 0x100<<lp-1, 8-lc, 1<<pb-1
	d.reset(1 << (lc + lp))
	return nil
}

// firstMatched is the first state after a symbol other than a literal.
const firstMatched = 7

// run unpacks the input up to a place in the output, or a match further, but not beyond the chunk.
func (d *decoder) run(stop int) error {
	end := min(d.pos+d.left, len(d.out))
	m, in, out, pos := &d.model, &d.in, d.out[:end], d.pos
	c, state := d.coder, d.state
	for pos < stop && c.pos <= d.size {
		at := uint32(pos + d.shift)
		posState := at & d.pbMask
		p := &m.match[state][posState]
		c = c.normal(in)
		if bound := c.bound(p); c.code < bound {
			c = c.zero(p, bound)
			context := at << 8
			if pos > d.dict {
				context |= uint32(out[pos-1])
			}
			probs := &m.lit[context&d.litMask>>(d.litShift&31)]
			var lit byte
			if state < firstMatched {
				c, lit = c.literal(in, probs, 1)
			} else if m.rep[0] >= uint32(pos-d.dict) {
				return d.tooFar(c, state, pos)
			} else {
				c, lit = c.matched(in, probs, out[pos-1-int(m.rep[0])])
			}
			out[pos] = lit
			pos++
			state = afterLiteral[state]
			continue
		}
		var length int
		c, state, length = m.matches(c.one(p, c.bound(p)), in, state, posState)
		if m.rep[0] >= uint32(pos-d.dict) || length > end-pos {
			return d.tooFar(c, state, pos)
		}
		copyMatch(out, pos, pos-1-int(m.rep[0]), length)
		pos += length
	}
	d.suspend(c, state, pos)
	if pos < stop || d.coder.pos > d.size {
		return fmt.Errorf("%w: LZMA chunk ends early", errDamage)
	}
	return nil
}

func (d *decoder) suspend(c coder, state uint32, pos int) {
	d.coder, d.state = c.normal(&d.in), state
	d.left, d.pos = d.left-(pos-d.pos), pos
}

func (d *decoder) tooFar(c coder, state uint32, pos int) error {
	d.suspend(c, state, pos)
	return fmt.Errorf("%w: LZMA match", errDamage)
}

var afterLiteral = [states]uint32{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}

// after returns the state after a match: literal if the symbol before it was a literal.
func after(state, literal, other uint32) uint32 {
	if state < firstMatched {
		return literal
	}
	return other
}

// matches decodes a match: its distance becomes rep[0].
func (m *model) matches(c coder, in *input, state, posState uint32) (coder, uint32, int) {
	c, b := c.normal(in).bit(&m.isRep[state])
	if !b {
		c, length := c.length(in, &m.match1, posState)
		c, dist := c.distance(in, m, length)
		m.rep[0], m.rep[1], m.rep[2], m.rep[3] = dist, m.rep[0], m.rep[1], m.rep[2]
		return c, after(state, 7, 10), length
	}
	if c, b = c.normal(in).bit(&m.isRep0[state]); !b {
		if c, b = c.normal(in).bit(&m.long0[state][posState]); !b {
			return c, after(state, 9, 11), 1
		}
	} else if c, b = c.normal(in).bit(&m.isRep1[state]); !b {
		m.rep[0], m.rep[1] = m.rep[1], m.rep[0]
	} else if c, b = c.normal(in).bit(&m.isRep2[state]); !b {
		m.rep[0], m.rep[1], m.rep[2] = m.rep[2], m.rep[0], m.rep[1]
	} else {
		m.rep[0], m.rep[1], m.rep[2], m.rep[3] = m.rep[3], m.rep[0], m.rep[1], m.rep[2]
	}
	c, length := c.length(in, &m.match2, posState)
	return c, after(state, 8, 11), length
}

// copyMatch copies bytes of the output that may overlap.
func copyMatch(out []byte, pos, from, length int) {
	if pos-from >= 8 && length <= 16 && len(out)-pos >= 16 { // excess bytes are overwritten later
		to, src := out[pos:pos+16], out[from:from+16]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(src))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(src[8:]))
		return
	}
	for end := pos + length; pos < end; {
		// The copied bytes can be copied again: each step doubles them.
		pos += copy(out[pos:end], out[from:pos])
	}
}

const (
	maxHead   = 6
	maxPacked = 1 << 16
	maxPiece  = 1 << 17 // bytes that are unpacked at a time
	maxMatch  = 273
)

type chunk struct {
	control  byte
	head     int // bytes before the content
	size     int // bytes of the content
	unpacked int
	props    byte
}

// The control bytes: from packed on, their bits are resets.
const (
	lastChunk  = 0
	plainReset = 1 // the dictionary is reset
	plain      = 2
	packed     = 0x80
	resetState = 0xa0
	resetProps = 0xc0
	resetAll   = 0xe0 // and the dictionary
)

func readChunk(src []byte) (c chunk, err error) {
	switch {
	case len(src) > 0 && src[0] == lastChunk:
		return chunk{head: 1}, nil
	case len(src) < maxHead || src[0] > plain && src[0] < packed:
		return c, fmt.Errorf("%w: no LZMA2 chunk", errDamage)
	}
	c = chunk{control: src[0], head: 3, size: int(src[1])<<8 + int(src[2]) + 1}
	if c.unpacked = c.size; c.control >= packed {
		c.head = 5 + int(c.control>>6&1)
		c.unpacked += int(c.control&31) << 16
		c.size = int(src[3])<<8 + int(src[4]) + 1
		c.props = src[5]
	}
	return c, nil
}

// room returns the size of the output buffer for a dictionary and a content. A quarter more than the
// dictionary makes moves rare.
func room(dictionary, size int64) int64 {
	return min(size, dictionary+max(dictionary/4, 4*maxPiece))
}

func (d *decoder) begin(dictionary, size int64) {
	d.keep = int(dictionary)
	if n := int(room(dictionary, size)); n > cap(d.out) {
		d.out = make([]byte, n)
	} else {
		d.out = d.out[:n]
	}
	d.pos, d.dict, d.shift, d.left = 0, 0, 0, 0
	d.needDict, d.needProps = true, true
}

// makeRoom makes room for n bytes and a match: it drops bytes older than the dictionary.
func (d *decoder) makeRoom(n int) {
	if min(n+maxMatch, d.left) > len(d.out)-d.pos {
		from := max(d.pos-d.keep, d.dict)
		d.pos = copy(d.out, d.out[from:d.pos])
		d.dict, d.shift = 0, d.shift+from
	}
}

// load begins with a chunk, whose content is in d.in.
func (d *decoder) load(c chunk) error {
	if reset := c.control == plainReset || c.control >= resetAll; reset {
		d.dict, d.shift, d.needDict, d.needProps = d.pos, -d.pos, false, true
	}
	if d.needDict || c.control >= packed && c.control < resetProps && d.needProps {
		return fmt.Errorf("%w: LZMA2 chunk %#x without a beginning", errDamage, c.control)
	}
	d.size, d.left, d.plain = c.size, c.unpacked, c.control < packed
	if d.plain {
		d.coder.pos = 0
		return nil
	}
	if c.control >= resetProps {
		if err := d.setProps(c.props); err != nil {
			return err
		}
		d.needProps = false
	} else if c.control >= resetState {
		d.reset(len(d.lit))
	}
	in := &d.in
	if c.size < 5 || in[0] != 0 {
		return fmt.Errorf("%w: LZMA chunk of %d bytes", errDamage, c.size)
	}
	clear(in[c.size : c.size+64])
	d.coder = coder{span: 1<<32 - 1, code: uint64(binary.BigEndian.Uint32(in[1:])), pos: 5}
	return nil
}

// unpack unpacks n bytes of the chunk or a match more, or the rest of it. There must be room.
func (d *decoder) unpack(n int) error {
	n = min(n, d.left)
	if !d.plain {
		err := d.run(d.pos + n)
		if err == nil && d.left == 0 && (d.coder.pos != d.size || d.code != 0) {
			err = fmt.Errorf("%w: LZMA2 chunk does not end where it should", errDamage)
		}
		return err
	}
	copy(d.out[d.pos:], d.in[d.coder.pos:d.coder.pos+n])
	d.pos, d.coder.pos, d.left = d.pos+n, d.coder.pos+n, d.left-n
	return nil
}
