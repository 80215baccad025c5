package gzip

import "math/bits"

// An entry says what begins with some bits: a literal, a length or distance, an end, or nothing. Its
// lowest six bits are how many bits of input it takes, its upper half is a value: the literal; the
// base to which the extra bits are added; where the rest of the table is for longer codes. Lengths
// and distances have the length of their code in bits 8 to 11: behind it the extra bits begin.
type entry = uint32

// What else is in an entry.
const (
	literal entry = 1 << 7
	special entry = 1 << 6 // the end if finish is set too, or nothing that may be there
	finish  entry = 1 << 12
	longer  entry = 1 << 13
)

const (
	maxCode     = 15           // bits of the longest code
	maxDistance = maxCode + 13 // and of a distance
	litRoot     = 10           // bits by which tables are looked up first
	distRoot    = 9
	headRoot    = 7

	literals  = 288 // codes of literals, of the end and of lengths, two of which mean nothing
	distances = 32
	// Behind the first part, tables have one for the longer codes of each beginning, of which there
	// are two at least.
	litSize  = 1<<litRoot + literals/2<<(maxCode-litRoot)
	distSize = 1<<distRoot + distances/2<<(maxCode-distRoot)
)

// lengthBases are the entries of lengths without their codes: the base, and the number of extra bits.
var lengthBases = [...]entry{
	3 << 16, 4 << 16, 5 << 16, 6 << 16, 7 << 16, 8 << 16, 9 << 16, 10 << 16, 11<<16 | 1, 13<<16 | 1, 15<<16 | 1, 17<<16 | 1,
	19<<16 | 2, 23<<16 | 2, 27<<16 | 2, 31<<16 | 2, 35<<16 | 3, 43<<16 | 3, 51<<16 | 3, 59<<16 | 3,
	67<<16 | 4, 83<<16 | 4, 99<<16 | 4, 115<<16 | 4, 131<<16 | 5, 163<<16 | 5, 195<<16 | 5, 227<<16 | 5, 258 << 16,
}

// literalEntry returns the entry of a literal, the end or a length without its code.
func literalEntry(symbol int) entry {
	switch {
	case symbol < 256:
		return literal | entry(symbol)<<16
	case symbol == 256:
		return special | finish
	case symbol-257 < len(lengthBases):
		return lengthBases[symbol-257]
	}
	return special
}

// distanceEntry returns the entry of a distance without its code.
func distanceEntry(symbol int) entry {
	switch {
	case symbol < 4:
		return entry(symbol+1) << 16
	case symbol < 30:
		extra := symbol/2 - 1
		return entry((2+symbol&1)<<extra+1)<<16 | entry(extra)
	}
	return special
}

// A code is a Huffman code: its symbols sorted by the lengths of their codes.
type code struct {
	count   [maxCode + 1]int // of symbols with codes of a length
	longest int
	sorted  [literals]uint16
}

// newCode returns the code in which symbols have these lengths, 0 for those that are not used. It
// reports false if there is none.
func newCode(lengths []byte) (c code, ok bool) {
	for _, n := range lengths {
		c.count[n]++
	}
	c.count[0] = 0
	var next [maxCode + 2]int // where the symbols of a length go
	free := 1
	for n := 1; n <= maxCode; n++ {
		next[n+1] = next[n] + c.count[n]
		if free = free<<1 - c.count[n]; free < 0 {
			return c, false
		}
		if c.count[n] > 0 {
			c.longest = n
		}
	}
	for symbol, n := range lengths {
		if n > 0 {
			c.sorted[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	// Where there is but one symbol, or none, it may be incomplete.
	return c, free == 0 || c.longest <= 1
}

// build makes the table of a code from the entries of its symbols, and returns a mask of the bits by
// which longer codes are looked up.
func (c *code) build(table []entry, root int, symbolEntry func(int) entry) (rest uint64) {
	table[0], table[1] = special, special
	more := max(c.longest-root, 0)
	code, end, last, sub := uint(0), 1<<root, -1, 0
	symbols := c.sorted[:]
	for n := 1; n <= max(c.longest, root); n++ {
		if n > 1 && n <= root {
			copy(table[1<<(n-1):1<<n], table) // of shorter codes, with one more bit
		}
		for range c.count[n] {
			e := symbolEntry(int(symbols[0])) + entry(n)
			symbols = symbols[1:]
			r := int(bits.Reverse16(uint16(code)) >> (16 - n)) // as it is read
			code++
			if n <= root {
				table[r] = e + entry(n)<<8
				continue
			}
			if begin := r & (1<<root - 1); begin != last {
				last, sub = begin, end
				table[begin] = longer | entry(sub)<<16 | entry(root)
				end += 1 << more
			}
			e += entry(n-root)<<8 - entry(root)
			for i := r >> root; i < 1<<more; i += 1 << (n - root) {
				table[sub+i] = e
			}
		}
		code <<= 1
	}
	return 1<<more - 1
}
