package zstd

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// An entry of an FSE table says what a state stands for, and which state follows. Its lowest byte is
// how many bits are added to the next state, which is in the 16 bits from bit 16 on. The second byte
// is how many bits are added to the value in the upper half. It is packed so that one load suffices.
type entry uint64

func newEntry(value uint32, extra, next, nextBits int) entry {
	return entry(value)<<32 | entry(next)<<16 | entry(extra)<<8 | entry(nextBits)
}

func (e entry) value() uint32 { return uint32(e >> 32) }
func (e entry) extra() uint   { return uint(e>>8) & 63 }
func (e entry) next() uint    { return uint(uint16(e >> 16)) }

// extraBits are those of an entry that say how many bits are added to the value.
const extraBits = 63 << 8

func (e entry) bits() uint { return uint(e) & 63 }

// maxLog is the largest logarithm of the size of an FSE table.
const maxLog = 9

// An fse is an FSE table. Its log is that of its size.
type fse struct {
	entries [1 << maxLog]entry
	log     int
	set     bool // it can be used, and repeated
}

// An alphabet is what the symbols of an FSE table stand for.
type alphabet struct {
	maxLog int
	count  int                       // of symbols
	value  func(s int) (uint32, int) // and how many bits are added to it
}

// uniform makes a table of one symbol, which takes no bits.
func (t *fse) uniform(a *alphabet, s int) error {
	if s >= a.count {
		return fmt.Errorf("%w: symbol %d", errDamage, s)
	}
	value, extra := a.value(s)
	t.entries[0], t.log, t.set = newEntry(value, extra, 0, 0), 0, true
	return nil
}

// read reads the description of a table (RFC 8878 4.1.1), and returns its length.
func (t *fse) read(a *alphabet, src []byte) (int, error) {
	var padded [4]byte
	load := func(pos int) uint32 { // 25 bits or more; zeros are behind the end
		if i := pos >> 3; i+4 <= len(src) {
			return binary.LittleEndian.Uint32(src[i:]) >> (pos & 7)
		}
		clear(padded[:])
		copy(padded[:], src[min(pos>>3, len(src)):])
		return binary.LittleEndian.Uint32(padded[:]) >> (pos & 7)
	}
	t.set = false
	log := int(load(0)&15) + 5
	if log > a.maxLog {
		return 0, fmt.Errorf("%w: FSE table of %d bits", errDamage, log)
	}
	var counts [64]int16
	pos, n, rest := 4, 0, 1<<log
	for rest > 0 {
		if n >= a.count || pos > 8*len(src) {
			return 0, fmt.Errorf("%w: FSE table", errDamage)
		}
		// A number of at most rest+1: the smaller ones take one bit less.
		size := bits.Len(uint(rest + 1))
		low := 1<<(size-1) - 1
		short := 1<<size - 2 - rest
		v := int(load(pos))
		if v&low < short {
			v &= low
			pos += size - 1
		} else {
			if v &= 2*low + 1; v > low {
				v -= short
			}
			pos += size
		}
		counts[n] = int16(v - 1) // -1 is a probability less than 1
		n++
		rest -= max(v-1, 1-v)
		for again := v == 1; again; { // how many more have none
			zeros := int(load(pos) & 3)
			pos += 2
			n += zeros
			again = zeros == 3 && n < a.count
		}
	}
	used := (pos + 7) / 8
	if rest < 0 || n > a.count || used > len(src) {
		return 0, fmt.Errorf("%w: FSE table", errDamage)
	}
	t.build(a, log, counts[:n])
	return used, nil
}

// build makes the table for probabilities, the sum of which is its size.
func (t *fse) build(a *alphabet, log int, counts []int16) {
	size := 1 << log
	var symbols [1 << maxLog]byte
	var next [64]uint16
	high := size - 1
	for s, n := range counts {
		if next[s] = uint16(n); n < 0 {
			symbols[high] = byte(s)
			high--
			next[s] = 1
		}
	}
	pos, step := 0, size>>1+size>>3+3
	for s, n := range counts {
		for range n {
			symbols[pos] = byte(s)
			for pos = (pos + step) & (size - 1); pos > high; {
				pos = (pos + step) & (size - 1)
			}
		}
	}
	for i, s := range symbols[:size] {
		n := int(next[s])
		next[s]++
		width := log + 1 - bits.Len(uint(n))
		value, extra := a.value(int(s))
		t.entries[i] = newEntry(value, extra, n<<width-size, width)
	}
	t.log, t.set = log, true
}

// pad is how many bytes there are before and behind a block, so that reading and copying of whole
// words needs no care at its ends.
const pad = 32

// A place is one within the bits of a block, which are read backwards: how many bits are before it,
// those of the pad too.
type place int

// packed is a block as read, with a pad on both sides.
type packed [pad + maxBlock + pad]byte

// peek returns the bits before p, the next one highest: at least 56 of them. It reports whether p is
// a place.
func (b *packed) peek(p place) (uint64, bool) {
	i := uint(p>>3 - 7)
	if i > uint(len(b)-8) {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[i:i+8]) << 1 << (^p & 7), true
}

// top returns the n highest bits of w, of which there are less than 64.
func top(w uint64, n uint) uint64 { return w >> 1 >> (^n & 63) }

// backwards returns where the stream begins that is b[from:to]: before its highest bit that is set.
func backwards(b *packed, from, to int) (place, error) {
	if to <= from || b[to-1] == 0 {
		return 0, fmt.Errorf("%w: stream of bits without an end", errDamage)
	}
	return place(8*to - 9 + bits.Len8(b[to-1])), nil
}
