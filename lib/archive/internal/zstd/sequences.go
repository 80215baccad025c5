package zstd

import (
	"encoding/binary"
	"fmt"
)

// A sequence is what a block consists of: literals, and a match, which repeats what was there before.
type sequence struct {
	literals, match, distance uint32
}

// minMatch is the length of the shortest match.
const minMatch = 3

// The kinds of codes of a sequence, in the order of their tables.
const (
	codeLiterals = iota
	codeDistance
	codeMatch
)

// alphabets are those of the codes (RFC 8878 3.1.1.3.2.1.1).
var alphabets = [3]alphabet{
	codeLiterals: {maxLog: 9, count: 36, value: func(s int) (uint32, int) {
		if s < 16 {
			return uint32(s), 0
		}
		return steps(literalSteps, 16, s-16)
	}},
	codeDistance: {maxLog: 8, count: 32, value: func(s int) (uint32, int) { return 1 << s, s }},
	codeMatch: {maxLog: 9, count: 53, value: func(s int) (uint32, int) {
		if s < 32 {
			return uint32(s) + minMatch, 0
		}
		return steps(matchSteps, 32+minMatch, s-32)
	}},
}

// The bits that are added to the codes of longer lengths: each begins where the one before ends.
const (
	literalSteps = "\x01\x01\x01\x01\x02\x02\x03\x03\x04\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
	matchSteps   = "\x01\x01\x01\x01\x02\x02\x03\x03\x04\x04\x05\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
)

// steps returns where code i begins, and how many bits are added to it.
func steps(width string, first uint32, i int) (uint32, int) {
	for _, w := range []byte(width[:i]) {
		first += 1 << w
	}
	return first, int(width[i])
}

// predefined are the probabilities of the codes of a block that does not say them (RFC 8878
// 3.1.1.3.2.2), and the logarithms of their sums.
var predefined = [3]struct {
	log    int
	counts []int16
}{
	codeLiterals: {6, []int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
	}},
	codeDistance: {5, []int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
	}},
	codeMatch: {6, []int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
	}},
}

// The ways to say the table of a code.
const (
	tablePredefined = iota
	tableUniform
	tableRead
	tableRepeated
)

// table reads the table of a code from src, and returns its length.
func (d *decoder) table(code, way int, src []byte) (int, error) {
	t, a := &d.tables[code], &alphabets[code]
	switch way {
	case tablePredefined:
		t.build(a, predefined[code].log, predefined[code].counts)
		return 0, nil
	case tableUniform:
		if len(src) == 0 {
			return 0, missing()
		}
		return 1, t.uniform(a, int(src[0]))
	case tableRead:
		return t.read(a, src)
	}
	if !t.set {
		return 0, fmt.Errorf("%w: block repeats a table that is not there", errDamage)
	}
	return 0, nil
}

// sequences reads the sequences of a block from b[at:end] (RFC 8878 3.1.1.3.2).
func (d *decoder) sequences(k *block, at, end int) (err error) {
	b := k.buf
	var head [3]int
	for i := range min(3, end-at) {
		head[i] = int(b[at+i])
	}
	n, width := head[0], 1
	switch {
	case n == 255:
		n, width = head[1]+head[2]<<8+0x7f00, 3
	case n >= 128:
		n, width = (n-128)<<8+head[1], 2
	}
	if at += width; at > end {
		return missing()
	}
	if k.seqs = k.seqs[:0]; n == 0 {
		if at < end {
			return fmt.Errorf("%w: %d bytes behind the literals", errDamage, end-at)
		}
		return nil
	}
	if at >= end {
		return missing()
	}
	if n > d.maxBlock/minMatch {
		return fmt.Errorf("%w: %d sequences", errDamage, n)
	}
	ways := int(b[at])
	at++
	if ways&3 != 0 {
		return fmt.Errorf("%w: reserved bits", errDamage)
	}
	for code := range d.tables {
		size, err := d.table(code, ways>>(6-2*code)&3, b[at:end])
		if err != nil {
			return err
		}
		at += size
	}
	k.seqs = sized(k.seqs, n)
	return d.codes(k, at, end)
}

// codes decodes the sequences of k from the stream b[at:end].
func (d *decoder) codes(k *block, at, end int) error {
	b := k.buf
	p, err := backwards(b, at, end)
	if err != nil {
		return err
	}
	start := place(8 * at)
	tl, td, tm := &d.tables[codeLiterals], &d.tables[codeDistance], &d.tables[codeMatch]
	var state [3]uint
	for i := range state {
		log := uint(d.tables[i].log)
		w, _ := b.peek(p)
		state[i] = uint(top(w, log))
		if p -= place(log); p < start {
			return missing()
		}
	}
	el, ed, em := tl.entries[state[0]], td.entries[state[1]], tm.entries[state[2]]
	p = d.decode(k.seqs, b, p, [3]entry{el, ed, em})
	var literals, matches uint64
	var far uint32
	for _, s := range k.seqs {
		literals += uint64(s.literals)
		matches += uint64(s.match)
		far = max(far, s.distance-1)
	}
	switch {
	case p != start:
		return fmt.Errorf("%w: stream of sequences", errDamage)
	case literals > uint64(len(k.lits)-pad):
		return fmt.Errorf("%w: sequences have %d literals of %d", errDamage, literals, len(k.lits)-pad)
	case matches+uint64(len(k.lits)-pad) > uint64(d.maxBlock):
		return fmt.Errorf("%w: block of more than %d bytes", errDamage, d.maxBlock)
	case uint64(far) >= uint64(d.window):
		return fmt.Errorf("%w: match at distance %d, in a window of %d", errDamage, uint64(far)+1, d.window)
	}
	k.size = len(k.lits) - pad + int(matches)
	return nil
}

// decode decodes sequences from the bits before p, beginning with some codes. It returns what is left.
func (d *decoder) decode(seqs []sequence, b *packed, p place, codes [3]entry) place {
	el, ed, em := codes[codeLiterals], codes[codeDistance], codes[codeMatch]
	r := &d.repeated
	for i := 0; ; i++ {
		at := uint(p>>3 - 7)
		if at > uint(len(b)-8) {
			return -1
		}
		w := binary.LittleEndian.Uint64(b[at:at+8]) << 1 << (^p & 7)
		s := &seqs[i]
		distance := ed.value() + uint32(top(w, ed.extra()))
		w <<= ed.extra()
		p -= place(ed.extra())
		s.match, s.literals = em.value(), el.value()
		if (em|el)&extraBits != 0 {
			s.match += uint32(top(w, em.extra()))
			s.literals += uint32(top(w<<em.extra(), el.extra()))
			p -= place(em.extra() + el.extra())
			at := uint(p>>3 - 7)
			if at > uint(len(b)-8) {
				return -1
			}
			w = binary.LittleEndian.Uint64(b[at:at+8]) << 1 << (^p & 7)
		}
		if distance > 3 {
			distance -= 3
			r[2] = r[1]
			r[1] = r[0]
			r[0] = distance
		} else {
			if s.literals == 0 {
				distance++
			}
			old := r[0]
			switch distance {
			case 1:
				distance = old
			case 2:
				distance = r[1]
				r[1] = old
			case 3:
				distance = r[2]
				r[2] = r[1]
				r[1] = old
			default:
				distance = old - 1
				r[2] = r[1]
				r[1] = old
			}
			r[0] = distance
		}
		s.distance = distance
		if i == len(seqs)-1 {
			return p
		}
		p -= place((el + em + ed) & 63)
		nl, nm := el.bits(), em.bits()
		el = d.tables[codeLiterals].entries[(el.next()+uint(top(w, nl)))&(1<<maxLog-1)]
		w <<= nl
		em = d.tables[codeMatch].entries[(em.next()+uint(top(w, nm)))&(1<<maxLog-1)]
		w <<= nm
		ed = d.tables[codeDistance].entries[(ed.next()+uint(top(w, ed.bits())))&(1<<maxLog-1)]
	}
}
