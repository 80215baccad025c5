package xz

import "io"

// A tail reads short pieces of a file from back to front: it keeps the bytes before the last piece.
type tail struct {
	in  io.ReaderAt
	buf []byte // from off on
	off int64
}

const kept = 8 << 10

func (t *tail) read(p []byte, off int64) error {
	if len(p) > kept {
		return readFull(t.in, p, off)
	}
	end := off + int64(len(p))
	if off < t.off || end > t.off+int64(len(t.buf)) {
		if t.buf == nil {
			t.buf = make([]byte, kept)
		}
		t.off = max(end-kept, 0)
		t.buf = t.buf[:end-t.off]
		if err := readFull(t.in, t.buf, t.off); err != nil {
			t.buf = t.buf[:0]
			return err
		}
	}
	copy(p, t.buf[off-t.off:])
	return nil
}

// readFull fills p with the bytes at an offset, after which the file may end.
func readFull(in io.ReaderAt, p []byte, off int64) error {
	n, err := in.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	return err
}
