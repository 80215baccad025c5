package gzip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errDamage is wrapped by all errors about what is unpacked.
var errDamage = errors.New("damaged")

const (
	history = 32 << 10      // how far back matches reach
	room    = outSize - 320 // what is unpacked goes beyond by a match, some literals, or what is copied too much
	maxHead = 1 << 10       // more than the head of a block has
	maxStep = 32            // more than some literals and a match have
)

// An inflater unpacks deflated data (RFC 1951).
type inflater struct {
	r   io.Reader
	err error // why there is no more input
	in  input
	end int // of the input
	cursor

	out   output
	have  int // how much of it is there
	first int // where the history begins

	final, packed     bool   // the block
	isFixed           bool   // the tables are those of the fixed codes
	left              int    // bytes of one that is stored
	litRest, distRest uint64 // masks of the bits by which longer codes are looked up
	lit               [litSize]entry
	dist              [distSize]entry
	lengths           [literals + distances]byte // of their codes
}

// need reads input until there are n bytes of it, or no more. Zeros follow the last.
func (z *inflater) need(n int) {
	if z.end-z.pos >= n || z.err != nil {
		return
	}
	z.cursor = z.back()
	z.end = copy(z.in[:], z.in[z.pos:z.end])
	z.pos = 0
	k, err := io.ReadAtLeast(z.r, z.in[z.end:inSize-maxHead], n-z.end)
	z.end += k
	if z.err = err; err == io.EOF {
		z.err = io.ErrUnexpectedEOF
	}
	clear(z.in[z.end:][:maxHead])
}

// take takes at most 16 bits.
func (z *inflater) take(n entry) int {
	z.cursor = z.cursor.fill(&z.in)
	v := z.value(n)
	z.cursor = z.drop(n)
	return v
}

// short reports whether more was taken than there is.
func (z *inflater) short() bool { return z.back().pos > z.end }

// inflate unpacks more, and reports whether that is the end of the last block. What it returns stays
// until the next call. There may be some in spite of an error.
func (z *inflater) inflate() (piece []byte, done bool, err error) {
	if z.have >= room {
		moved := z.have - history
		z.have = copy(z.out[:], z.out[moved:z.have])
		z.first = max(z.first-moved, 0)
	}
	from := z.have
	for z.have < room {
		before := z.have
		z.need(maxHead)
		switch {
		case z.packed:
			stop := z.end - maxStep
			if z.err != nil && z.pos >= stop {
				stop = z.pos + 1 // little by little: what is too much will be dropped
			}
			z.packed, err = z.symbols(stop)
		case z.left > 0:
			z.have += copy(z.out[z.have:room], z.in[z.pos:min(z.end, z.pos+z.left)])
			z.left -= z.have - before
			z.pos += max(z.have-before, 1) // beyond the end if there is nothing
		case z.final:
			z.cursor = z.align()
			return z.out[from:z.have], true, nil
		default:
			err = z.block()
		}
		if z.short() {
			z.have, err = before, z.err
		}
		if err != nil {
			return z.out[from:z.have], false, err
		}
	}
	return z.out[from:z.have], false, nil
}

// block reads the head of a block.
func (z *inflater) block() error {
	z.final = z.take(1) == 1
	switch z.take(2) {
	case 0:
		z.cursor = z.align()
		n := binary.LittleEndian.Uint32(z.in[z.pos:])
		z.pos += 4
		z.left = int(n & 0xffff)
		if n>>16 != ^n&0xffff {
			return fmt.Errorf("%w: length of a stored block", errDamage)
		}
		return nil
	case 1:
		return z.fixed()
	case 2:
		return z.dynamic()
	}
	return fmt.Errorf("%w: kind of block", errDamage)
}

// fixed makes the tables of the fixed codes, unless they are there.
func (z *inflater) fixed() error {
	z.packed = true
	if z.isFixed {
		return nil
	}
	z.isFixed = true
	i := 0
	for _, run := range [...]struct {
		to     int
		length byte
	}{{144, 8}, {256, 9}, {280, 7}, {literals, 8}, {literals + distances, 5}} {
		for ; i < run.to; i++ {
			z.lengths[i] = run.length
		}
	}
	return z.tables(literals, distances)
}

// tables makes the tables of a block, of which the lengths of codes are known.
func (z *inflater) tables(lits, dists int) error {
	lit, ok1 := newCode(z.lengths[:lits])
	dist, ok2 := newCode(z.lengths[lits : lits+dists])
	if !ok1 || !ok2 {
		return fmt.Errorf("%w: codes of a block", errDamage)
	}
	z.litRest = lit.build(z.lit[:], litRoot, literalEntry)
	z.distRest = dist.build(z.dist[:], distRoot, distanceEntry)
	return nil
}

// headOrder is the order of the lengths of the codes of lengths.
var headOrder = [19]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block.
func (z *inflater) dynamic() error {
	lits, dists, heads := z.take(5)+257, z.take(5)+1, z.take(4)+4
	if lits > 286 || dists > 30 {
		return fmt.Errorf("%w: number of codes of a block", errDamage)
	}
	var lengths [len(headOrder)]byte
	for _, i := range headOrder[:heads] {
		lengths[i] = byte(z.take(3))
	}
	c, ok := newCode(lengths[:])
	if !ok {
		return fmt.Errorf("%w: codes of the lengths of codes", errDamage)
	}
	table := z.dist[:1<<headRoot]
	c.build(table, headRoot, func(symbol int) entry { return entry(symbol) << 16 })
	l := z.lengths[:lits+dists]
	for i := 0; i < len(l); {
		z.cursor = z.cursor.fill(&z.in)
		e := table[z.bits&(1<<headRoot-1)]
		if e&special != 0 {
			return fmt.Errorf("%w: length of a code", errDamage)
		}
		z.cursor = z.drop(e)
		value, times := byte(e>>16), 1
		switch value {
		case 16:
			if i == 0 {
				return fmt.Errorf("%w: length of the first code", errDamage)
			}
			value, times = l[i-1], 3+z.take(2)
		case 17:
			value, times = 0, 3+z.take(3)
		case 18:
			value, times = 0, 11+z.take(7)
		}
		if times > len(l)-i {
			return fmt.Errorf("%w: number of the lengths of codes", errDamage)
		}
		for range times {
			l[i] = value
			i++
		}
	}
	z.packed, z.isFixed = true, false
	return z.tables(lits, dists)
}

// symbols unpacks symbols of a block, as long as input before stop and room remain. It reports false
// at the end of the block.
func (z *inflater) symbols(stop int) (more bool, err error) {
	c, in, out, at := z.cursor, &z.in, &z.out, z.have
	for c.pos < stop && at < room {
		c = c.fill(in)
		e := z.lit[c.bits&(1<<litRoot-1)]
		if e&literal != 0 {
			out[at&(outSize-1)] = byte(e >> 16)
			at, c = at+1, c.drop(e)
			if e = z.lit[c.bits&(1<<litRoot-1)]; e&literal != 0 {
				out[at&(outSize-1)] = byte(e >> 16)
				at, c = at+1, c.drop(e)
				if e = z.lit[c.bits&(1<<litRoot-1)]; e&literal != 0 {
					out[at&(outSize-1)] = byte(e >> 16)
					at, c = at+1, c.drop(e)
					continue
				}
			}
		}
		if e&longer != 0 {
			c = c.drop(e)
			if e = z.lit[uint64(e>>16)+c.bits&z.litRest]; e&literal != 0 {
				out[at&(outSize-1)] = byte(e >> 16)
				at, c = at+1, c.drop(e)
				continue
			}
		}
		if e&special != 0 {
			z.cursor, z.have = c.drop(e), at
			if e&finish == 0 {
				return false, fmt.Errorf("%w: code of a literal or length", errDamage)
			}
			return false, nil
		}
		length := c.value(e)
		if c = c.drop(e); c.n&63 < maxDistance {
			c = c.fill(in)
		}
		if e = z.dist[c.bits&(1<<distRoot-1)]; e&longer != 0 {
			c = c.drop(e)
			e = z.dist[uint64(e>>16)+c.bits&z.distRest]
		}
		from := at - c.value(e)
		if from < z.first || e&special != 0 {
			z.cursor, z.have = c, at
			return false, fmt.Errorf("%w: distance", errDamage)
		}
		c = c.drop(e)
		if from <= at-8 && length <= 16 {
			*(*[8]byte)(out[at&(outSize-1):]) = *(*[8]byte)(out[from&(outSize-1):])
			*(*[8]byte)(out[(at+8)&(outSize-1):]) = *(*[8]byte)(out[(from+8)&(outSize-1):])
			at += length
		} else {
			for end := at + length; at < end; { // what was copied can be copied again: it doubles
				at += copy(out[at:end], out[from:at])
			}
		}
	}
	z.cursor, z.have = c, at
	return true, nil
}
