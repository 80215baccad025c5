package zstd

import (
	"fmt"
	"math/bits"
)

// maxCode is how many bits the longest code of a literal has.
const maxCode = 11

// A huffman decodes literals. An entry of its table is a symbol, and in the upper byte how many bits
// of the index are its code.
type huffman struct {
	table [1 << maxCode]uint16
	set   bool
}

// weights is the alphabet of the weights of codes.
var weights = alphabet{maxLog: 6, count: maxCode + 2, value: func(s int) (uint32, int) { return uint32(s), 0 }}

// read reads the description of a code (RFC 8878 4.2.1) at b[at:end], and returns what is behind.
func (h *huffman) read(d *decoder, b *packed, at, end int) (int, error) {
	if at >= end {
		return 0, missing()
	}
	n := int(b[at])
	at++
	var list [256]byte
	if n >= 128 { // four bits each
		n -= 127
		if at+(n+1)/2 > end {
			return 0, missing()
		}
		for i := range n {
			list[i] = b[at+i/2] >> (4 * (^i & 1)) & 15
		}
		return at + (n+1)/2, h.build(&list, n)
	}
	if at+n > end {
		return 0, missing()
	}
	used, err := d.weights.read(&weights, b[at:at+n])
	if err != nil {
		return 0, err
	}
	count, err := d.weights.decode(b, at+used, at+n, &list)
	if err != nil {
		return 0, err
	}
	return at + n, h.build(&list, count)
}

// decode decodes the weights b[from:to] by two states in turn (RFC 8878 4.2.1.2).
func (t *fse) decode(b *packed, from, to int, list *[256]byte) (int, error) {
	p, err := backwards(b, from, to)
	if err != nil {
		return 0, err
	}
	start, log := place(8*from), uint(t.log)
	var state [2]uint
	for i := range state {
		w, _ := b.peek(p)
		state[i] = uint(top(w, log))
		p -= place(log)
	}
	if p < start {
		return 0, missing()
	}
	for n := 0; n < len(list)-2; n++ {
		e := t.entries[state[n&1]]
		list[n] = byte(e.value())
		w, _ := b.peek(p)
		if p -= place(e.bits()); p < start { // the other state is the last one
			list[n+1] = byte(t.entries[state[^n&1]].value())
			return n + 2, nil
		}
		state[n&1] = e.next() + uint(top(w, e.bits()))
	}
	return 0, fmt.Errorf("%w: too many weights of codes", errDamage)
}

// build makes the table for n weights and a last one, which completes them.
func (h *huffman) build(list *[256]byte, n int) error {
	h.set = false
	var ranks [maxCode + 3]int
	sum := 0
	for _, w := range list[:n] {
		if w > maxCode {
			return fmt.Errorf("%w: code of weight %d", errDamage, w)
		}
		ranks[w]++
		sum += 1 << w >> 1
	}
	log := bits.Len(uint(sum))
	left := 1<<log - sum
	if sum == 0 || log > maxCode || left&(left-1) != 0 {
		return fmt.Errorf("%w: weights of codes", errDamage)
	}
	last := bits.Len(uint(left))
	list[n] = byte(last)
	ranks[last]++
	if ranks[1] < 2 {
		return fmt.Errorf("%w: weights of codes", errDamage)
	}
	var next [maxCode + 3]int // where the codes of a weight begin
	pos := 0
	for w := 1; w <= maxCode; w++ {
		next[w] = pos
		pos += ranks[w] << (w - 1) << (maxCode - log)
	}
	for s, w := range list[:n+1] {
		if w == 0 {
			continue
		}
		e := uint16(log+1-int(w))<<8 | uint16(s)
		codes := h.table[next[w]:][:1<<(w-1)<<(maxCode-log)]
		for i := range codes {
			codes[i] = e
		}
		next[w] += len(codes)
	}
	h.set = true
	return nil
}

// perLoad is how many codes are certainly within the bits of a load: 56 / maxCode.
const perLoad = 5

// A stream is a stream of codes and where its literals go.
type stream struct {
	p, start place
	at       int // the next literal
	end      int
}

// streams decodes what is b[from:to] to dst: one stream, or four of a quarter each.
func (h *huffman) streams(dst []byte, b *packed, from, to int, four bool) (err error) {
	if !four {
		s := stream{start: place(8 * from), end: len(dst)}
		if s.p, err = backwards(b, from, to); err != nil {
			return err
		}
		return h.rest(dst, b, s)
	}
	quarter := (len(dst) + 3) / 4
	if from+6 > to || 3*quarter > len(dst) {
		return fmt.Errorf("%w: %d literals in four streams", errDamage, len(dst))
	}
	var all [4]stream
	begin := from + 6
	for i := range all {
		end := to
		if i < 3 {
			end = begin + int(b[from+2*i]) + int(b[from+2*i+1])<<8
		}
		if end > to {
			return missing()
		}
		s := &all[i]
		if s.p, err = backwards(b, begin, end); err != nil {
			return err
		}
		s.start, s.at, s.end = place(8*begin), i*quarter, min((i+1)*quarter, len(dst))
		begin = end
	}
	if err := h.together(dst, b, &all); err != nil {
		return err
	}
	for _, s := range all {
		if err := h.rest(dst, b, s); err != nil {
			return err
		}
	}
	return nil
}

// together decodes most of four streams at once: the processor works on what does not depend on one
// another.
func (h *huffman) together(dst []byte, b *packed, all *[4]stream) error {
	for range (all[3].end - all[3].at) / perLoad {
		for i := range all {
			s := &all[i]
			if s.p < s.start {
				return missing()
			}
			w, _ := b.peek(s.p)
			to := (*[perLoad]byte)(dst[s.at : s.at+perLoad])
			w |= 1 // the lowest bit that is set counts the bits that were used
			e := h.table[w>>(64-maxCode)]
			w <<= e >> 8 & 63
			to[0] = byte(e)
			e = h.table[w>>(64-maxCode)]
			w <<= e >> 8 & 63
			to[1] = byte(e)
			e = h.table[w>>(64-maxCode)]
			w <<= e >> 8 & 63
			to[2] = byte(e)
			e = h.table[w>>(64-maxCode)]
			w <<= e >> 8 & 63
			to[3] = byte(e)
			e = h.table[w>>(64-maxCode)]
			w <<= e >> 8 & 63
			to[4] = byte(e)
			s.p -= place(bits.TrailingZeros64(w))
			s.at += perLoad
		}
	}
	return nil
}

// rest decodes a stream to its end, one by one.
func (h *huffman) rest(dst []byte, b *packed, s stream) error {
	for ; s.at < s.end && s.p >= s.start; s.at++ {
		w, _ := b.peek(s.p)
		e := h.table[w>>(64-maxCode)]
		dst[s.at] = byte(e)
		s.p -= place(e >> 8)
	}
	if s.p != s.start || s.at < s.end {
		return fmt.Errorf("%w: stream of literals", errDamage)
	}
	return nil
}

// The kinds of literals.
const (
	literalsRaw = iota
	literalsRLE
	literalsPacked
	literalsTreeless
)

// literals reads the literals of a block from b[at:end] (RFC 8878 3.1.1.3.1), and returns what is
// behind.
func (d *decoder) literals(k *block, at, end int) (int, error) {
	b := k.buf
	if at >= end {
		return 0, missing()
	}
	head := uint64(0)
	for i := range min(5, end-at) {
		head |= uint64(b[at+i]) << (8 * i)
	}
	kind, form := head&3, head>>2&3
	var size, packed int
	if kind <= literalsRLE {
		width := [4]int{1, 2, 1, 3}[form]
		if at += width; width == 1 {
			size = int(head >> 3 & 31)
		} else {
			size = int(head >> 4 & (1<<(8*width-4) - 1))
		}
		if packed = size; kind == literalsRLE {
			packed = 1
		}
	} else {
		width := [4]int{10, 10, 14, 18}[form]
		size = int(head >> 4 & (1<<width - 1))
		packed = int(head >> (4 + width) & (1<<width - 1))
		at += (4 + 2*width + 7) / 8
	}
	if at > end || packed > end-at {
		return 0, missing()
	}
	if size > d.maxBlock {
		return 0, fmt.Errorf("%w: block of %d literals", errDamage, size)
	}
	if kind == literalsRaw {
		k.lits = b[at : at+size+pad]
		return at + size, nil
	}
	k.own = sized(k.own, size+pad)
	k.lits = k.own
	if kind == literalsRLE {
		for i := range k.lits[:size] {
			k.lits[i] = b[at]
		}
		return at + 1, nil
	}
	tree, behind, err := at, at+packed, error(nil)
	if kind == literalsPacked {
		if tree, err = d.huffman.read(d, b, at, behind); err != nil {
			return 0, err
		}
	}
	if !d.huffman.set {
		return 0, fmt.Errorf("%w: literals without a code", errDamage)
	}
	return behind, d.huffman.streams(k.lits[:size], b, tree, behind, form != 0)
}
