package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The formats of a value set: the values themselves, or where their blocks are. Two formats for
// blocks mean the same.
const (
	InSitu = 0
	DPtr   = 1
	sPtr   = 2
)

// Sets iterates over value sets and checks that they and their value blocks lie in the message and
// fill it exactly. It is used as a local variable.
//
// A value set is the metric's identifier and the number of values or an error; with values follow
// their format and pairs of instance and value. A value in a block is a word index to it; blocks
// follow the last set (values.md V7.1, archive.md A8.2).
type Sets struct {
	src    []byte // the whole message
	bias   int    // block i begins at byte 4*(i-bias) of src
	end    int    // end of the blocks
	pos    int
	left   int
	blocks int // bytes of the value blocks seen
	low    int // offset of the first block
	bad    bool
	// Checked means that Next was called for all sets of the message before, and Err returned nil.
	Checked bool

	ID    pcp.ID // identifier of the current set
	Count int32  // number of values, or an error
	// Format is that of the current set, InSitu if it has no values.
	Format uint32
	pairs  []byte
}

// NewSets returns an iterator over n value sets that begin at byte pos of src. The sets and blocks
// end at byte end. Word index i means byte 4*(i-bias) of src.
func NewSets(src []byte, pos, end, n, bias int) Sets {
	s := Sets{src: src, bias: bias, end: end, pos: pos, left: n, low: end}
	s.bad = n < 0 || pos < 0 || end > len(src) || pos > end || n > (end-pos)/8
	return s
}

// Next advances to the next value set. It returns false after the last one and at a malformed one.
func (s *Sets) Next() bool {
	if s.left <= 0 || s.bad {
		return false
	}
	s.left--
	if s.end-s.pos < 8 {
		s.bad = true
		return false
	}
	head := s.src[s.pos : s.pos+8]
	s.ID, s.Count = pcp.ID(binary.BigEndian.Uint32(head)), int32(binary.BigEndian.Uint32(head[4:]))
	s.pos += 8
	s.pairs, s.Format = nil, InSitu
	if s.Count > 0 {
		return s.values()
	}
	return true
}

func (s *Sets) values() bool {
	// The count is compared by division: on 32 bits the size of so many pairs could overflow.
	if rest := s.end - s.pos; rest < 12 || int64(s.Count) > int64(rest-4)/8 {
		s.bad = true
		return false
	}
	s.Format = binary.BigEndian.Uint32(s.src[s.pos:])
	s.pos += 4
	s.pairs = s.src[s.pos : s.pos+8*int(s.Count)]
	s.pos += len(s.pairs)
	switch s.Format {
	case InSitu:
		return true
	case DPtr, sPtr:
	default:
		s.bad = true
		return false
	}
	if s.Checked {
		return true
	}
	for pairs := s.pairs[8*s.run():]; len(pairs) >= 8; pairs = pairs[8:] {
		index := binary.BigEndian.Uint32(pairs[4:])
		size := s.block(index)
		if size < 0 {
			s.bad = true
			return false
		}
		// Stop here: copying a large block that many values share would take long before Err
		// reports it.
		if s.blocks += (size + 3) &^ 3; s.blocks > s.end-s.pos+3 {
			s.bad = true
			return false
		}
		s.low = min(s.low, 4*(int(index)-s.bias))
	}
	return true
}

// run skips the first values of the current set that are 64-bit numbers in adjacent blocks, and returns
// their number. Recorded sets have few others: checking them is most of the work of reading an archive.
func (s *Sets) run() int {
	first := binary.BigEndian.Uint32(s.pairs[4:])
	off := 4 * (int64(first) - int64(s.bias))
	if off < 0 || off > int64(s.end)-12 {
		return 0
	}
	// The first header is checked for all: blocks that are three words apart and have the same header
	// are as sound as the first.
	src := s.src[off:s.end]
	head := src[:4]
	if head[3] != 12 || head[1]|head[2] != 0 || pcp.Type(head[0]) > pcp.Double {
		return 0
	}
	like, n := binary.LittleEndian.Uint32(head), 0
	for pairs := s.pairs; len(pairs) >= 8 && len(src) >= 12; pairs, src = pairs[8:], src[12:] {
		if binary.BigEndian.Uint32(pairs[4:]) != first+3*uint32(n) || binary.LittleEndian.Uint32(src) != like {
			break
		}
		n++
	}
	s.blocks += 12 * n
	s.low = min(s.low, int(off))
	return n
}

// block returns the length of the value block at a word index with its header, or -1 if the block, or
// events in it, exceed the message.
func (s *Sets) block(index uint32) int {
	off := 4 * (int64(index) - int64(s.bias))
	if off < 0 || off > int64(s.end)-4 {
		return -1
	}
	head := binary.BigEndian.Uint32(s.src[off:])
	size := int(head & 0xffffff)
	if size < 4 || size > s.end-int(off) {
		return -1
	}
	if t := pcp.Type(head >> 24); (t == pcp.Event || t == pcp.HighResEvent) && !fitEvents(t, s.src[off+4:off+int64(size)]) {
		return -1
	}
	return size
}

// Type returns the type that the encoding of the current set shows: 32 bits in situ, the type of
// the first block, or Unknown without values.
func (s *Sets) Type() pcp.Type {
	switch {
	case len(s.pairs) < 8:
		return pcp.Unknown
	case s.Format == InSitu:
		return pcp.Int32
	}
	t, _ := s.blockAt(binary.BigEndian.Uint32(s.pairs[4:]))
	return t
}

// Err returns an error unless all sets were read, are well-formed, and fill the message together
// with their blocks, which must all come after the sets.
func (s *Sets) Err() error {
	if s.bad || s.left > 0 || s.pos+s.blocks != s.end || s.low < s.pos {
		return fmt.Errorf("%w: value sets do not fit their message", ErrFormat)
	}
	return nil
}

// Decode decodes the current set into dst: a metric described by d, with the values that p selects.
// Bytes are copied to memory from a; bytes that did not change since dst was last decoded stay in
// place.
func (s *Sets) Decode(dst *pcp.Values, d *pcp.Desc, p *pcp.Profile, a *Arena) {
	dst.Reset(s.ID, d.Type)
	if s.Count < 0 {
		dst.Err = pmerr.Code(s.Count).Err()
		return
	}
	all := p.All() || d.InDom == pcp.NullInDom
	if all {
		dst.Grow(int(max(s.Count, 0)))
		s.decodeWide(dst)
	}
	for pairs := s.pairs[8*len(dst.Insts):]; len(pairs) >= 8; pairs = pairs[8:] {
		inst, word := int32(binary.BigEndian.Uint32(pairs)), binary.BigEndian.Uint32(pairs[4:])
		if !all && !p.Selects(d.InDom, inst) {
			continue
		}
		dst.Insts = append(dst.Insts, inst)
		if s.Format != InSitu && !s.decodeBlock(dst, word, a) || s.Format == InSitu && !decodeWord(dst, word) {
			s.addOdd(dst, word, a)
		}
	}
	if dst.Odd != nil {
		dst.Odd = append(dst.Odd, make([]pcp.Odd, len(dst.Insts)-len(dst.Odd))...)
	}
}

// decodeWide appends 64-bit values up to the first misfit. dst has room for them. This is most of the work
// of reading an archive.
func (s *Sets) decodeWide(dst *pcp.Values) {
	if t := dst.Type; s.Format == InSitu || t != pcp.Int64 && t != pcp.Uint64 && t != pcp.Double {
		return
	}
	head := uint32(dst.Type)<<24 | 12 // header of each block
	n := len(s.pairs) / 8
	insts, words := dst.Insts[:n], dst.Words[:n]
	for i := range insts {
		pair := s.pairs[8*i : 8*i+8]
		off := 4 * (int64(binary.BigEndian.Uint32(pair[4:])) - int64(s.bias))
		if off < 0 || off > int64(s.end)-12 || binary.BigEndian.Uint32(s.src[off:]) != head {
			n = i
			break
		}
		insts[i], words[i] = int32(binary.BigEndian.Uint32(pair)), binary.BigEndian.Uint64(s.src[off+4:])
	}
	dst.Insts, dst.Words = insts[:n], words[:n]
}

// decodeWord appends a value in situ, if it fits the type of dst (values.md V7.2).
func decodeWord(dst *pcp.Values, word uint32) bool {
	switch dst.Type {
	case pcp.Int32:
		dst.Words = append(dst.Words, uint64(int64(int32(word))))
	case pcp.Uint32, pcp.Float:
		dst.Words = append(dst.Words, uint64(word))
	default:
		return false
	}
	return true
}

// decodeBlock appends the value in a block, if it fits the type of dst (values.md V7.2).
func (s *Sets) decodeBlock(dst *pcp.Values, index uint32, a *Arena) bool {
	t, body := s.blockAt(index)
	events := dst.Type == pcp.Event || dst.Type == pcp.HighResEvent
	if t != dst.Type && (t != 0 || events) { // old archives have no type in the block (archive.md A8.7)
		return false
	}
	switch typ := dst.Type; {
	case typ == pcp.Float && len(body) == 4:
		dst.Words = append(dst.Words, uint64(binary.BigEndian.Uint32(body)))
	case (typ == pcp.Int64 || typ == pcp.Uint64 || typ == pcp.Double) && len(body) == 8:
		dst.Words = append(dst.Words, binary.BigEndian.Uint64(body))
	case typ == pcp.String:
		if i := bytes.IndexByte(body, 0); i >= 0 {
			body = body[:i]
		}
		appendBlob(dst, body, a)
	case typ == pcp.Aggregate || events:
		appendBlob(dst, body, a)
	default:
		return false
	}
	return true
}

func (s *Sets) blockAt(index uint32) (pcp.Type, []byte) {
	size := s.block(index)
	if size < 4 { // impossible: values has checked it
		return pcp.Unknown, nil
	}
	off := 4 * (int(index) - s.bias)
	return pcp.Type(s.src[off]), s.src[off+4 : off+size]
}

func (s *Sets) addOdd(dst *pcp.Values, word uint32, a *Arena) {
	odd := pcp.Odd{Bad: true, InSitu: true, Type: pcp.Unknown, Word: word}
	if s.Format != InSitu {
		t, body := s.blockAt(word)
		odd = pcp.Odd{Bad: true, Type: t, Blob: a.copy(body)}
	}
	if dst.Type.Arithmetic() {
		dst.Words = append(dst.Words, 0)
	} else {
		dst.Blobs = append(dst.Blobs, nil)
	}
	n := len(dst.Insts)
	dst.Odd = append(dst.Odd, make([]pcp.Odd, n-1-len(dst.Odd))...)
	dst.Odd = append(dst.Odd, odd)
}

// appendBlob appends a copy of b to the blobs of dst, or the previous blob if it is equal.
func appendBlob(dst *pcp.Values, b []byte, a *Arena) {
	if n := len(dst.Blobs); n < cap(dst.Blobs) {
		if old := dst.Blobs[:n+1][n]; old != nil && bytes.Equal(old, b) {
			dst.Blobs = dst.Blobs[:n+1]
			return
		}
	}
	dst.Blobs = append(dst.Blobs, a.copy(b))
}

// An Arena allocates memory for decoded bytes in large pieces, which live as long as any of the
// bytes. The zero Arena is ready for use; it must not be shared by goroutines.
type Arena struct {
	free []byte
	next int
}

const (
	minPiece = 1 << 10
	maxPiece = 64 << 10
)

// copy returns a copy of b, never nil.
func (a *Arena) copy(b []byte) []byte {
	if len(b) > maxPiece/4 {
		return append([]byte(nil), b...)
	}
	if len(b) > len(a.free) || a.free == nil {
		a.next = max(min(2*a.next, maxPiece), minPiece)
		for a.next < len(b) {
			a.next *= 2
		}
		a.free = make([]byte, a.next)
	}
	out := a.free[:len(b):len(b)]
	copy(out, b)
	a.free = a.free[len(b):]
	return out
}
