package zstd

import "fmt"

// A window holds the content as far back as matches refer to it. It is a ring: what is written begins
// again at its start when there is no room at its end.
type window struct {
	out  []byte
	pos  int // where the next block goes
	lap  int // where the content before position 0 ends, which was written in the lap before; 0 if none
	sum  xxh64
	size int64 // of the content of the frame so far
}

// write adds a block, and returns its content, which is there until the next one.
func (w *window) write(k *block) ([]byte, error) {
	if k.first {
		w.pos, w.lap, w.size = 0, 0, 0
		w.sum.reset()
	}
	f := k.frame
	if w.size += int64(k.size); f.size >= 0 && (w.size > f.size || k.last && w.size < f.size) {
		return nil, fmt.Errorf("%w: frame of %d bytes, its header says %d", errDamage, w.size, f.size)
	}
	w.makeRoom(k.size, f)
	start := w.pos
	if err := w.run(k.seqs, k.lits); err != nil {
		return nil, fmt.Errorf("block at byte %d: %w", k.at, err)
	}
	piece := w.out[start:w.pos]
	if f.checksum {
		w.sum.write(piece)
		if k.last && uint32(w.sum.sum()) != k.checksum {
			return piece, fmt.Errorf("%w: wrong checksum of the frame that ends with the block at byte %d", errDamage, k.at)
		}
	}
	return piece, nil
}

// makeRoom makes room for n bytes and a pad. The ring grows with the content up to what the frame
// needs: its window, and two blocks, so that the beginning of a lap does not reach what the window
// has of the lap before.
func (w *window) makeRoom(n int, f *frame) {
	full := f.window + 2*(f.maxBlock+pad)
	if f.size >= 0 {
		full = int(min(int64(full), f.size+pad))
	}
	need := w.pos + n + pad
	if need > len(w.out) && len(w.out) < full {
		grown := make([]byte, min(max(need, 2*len(w.out)), full))
		copy(grown, w.out[:w.pos])
		w.out = grown
	}
	if need > len(w.out) {
		w.lap, w.pos = w.pos, 0
	}
}

// run writes sequences and the literals behind them. The decoder has checked that the literals
// suffice, and makeRoom that there is room.
func (w *window) run(seqs []sequence, lits []byte) error {
	out, pos, at := w.out, w.pos, 0
	for _, s := range seqs {
		n, length, distance := int(s.literals), int(s.match), int(s.distance)
		if n <= 16 {
			copy16(out, pos, lits, at)
		} else {
			copy(out[pos:pos+n], lits[at:])
		}
		pos += n
		at += n
		from := pos - distance
		if from < 0 { // in the lap before
			if from += w.lap; from < pos {
				return fmt.Errorf("%w: match at distance %d, behind %d bytes", errDamage, distance, pos)
			}
		}
		if length > 32 || distance < 16 || from > w.lap-32 && from > pos {
			w.copy(pos, from, length)
		} else if copy16(out, pos, out, from); length > 16 {
			copy16(out, pos+16, out, from+16)
		}
		pos += length
	}
	w.pos = pos + copy(out[pos:], lits[at:len(lits)-pad])
	return nil
}

// copy copies a match. It may overlap with itself, or begin in the lap before.
func (w *window) copy(pos, from, length int) {
	end := pos + length
	if from > pos {
		pos += copy(w.out[pos:end], w.out[from:w.lap])
		from = 0
	}
	for pos < end {
		// What was copied can be copied again: it doubles.
		pos += copy(w.out[pos:end], w.out[from:pos])
	}
}

// copy16 copies 16 bytes from src[j:] to dst[i:].
func copy16(dst []byte, i int, src []byte, j int) {
	*(*[16]byte)(dst[i : i+16]) = *(*[16]byte)(src[j : j+16])
}
