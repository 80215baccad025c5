package zstd

import "io"

// A Reader unpacks a file from its beginning.
type Reader struct {
	d     decoder
	k     block
	w     window
	piece []byte
	err   error // behind the piece
}

// NewReader returns a Reader of in.
func NewReader(in io.Reader) *Reader { return &Reader{d: decoder{in: in}} }

// Read implements io.Reader. What could be unpacked of a damaged file is read before the error.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.err = r.d.next(&r.k); r.err == nil {
			r.piece, r.err = r.w.write(&r.k)
		}
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// Close ends the work that was begun ahead.
func (r *Reader) Close() error { return nil }
