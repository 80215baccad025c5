// Package pieces reads content that is unpacked piece by piece.
package pieces

// A Reader is an io.Reader of what Next returns. A piece that comes with an error is read before the
// error, which is the end: so what could be unpacked of a damaged file is read.
type Reader struct {
	Next func() (piece []byte, err error) // the piece is there until the next call

	rest []byte // of the piece
	err  error  // behind it
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.Next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// End makes err what further calls of Read return.
func (r *Reader) End(err error) { r.rest, r.err = nil, err }
