package xz

// pieces is an io.Reader of what next returns. A piece that comes with an error is read before the
// error, which is the end: so what could be unpacked of a damaged file is read.
type pieces struct {
	next func() (piece []byte, err error) // the piece is there until the next call

	rest []byte // of the piece
	err  error  // after it
}

// Read implements io.Reader.
func (r *pieces) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
