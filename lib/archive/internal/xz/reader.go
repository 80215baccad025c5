package xz

import "io"

// pieces is an io.Reader of the results of next. A piece that comes with an error is read before the error:
// so a reader gets as much of a damaged file as can be unpacked.
type pieces struct {
	next func() (piece []byte, err error) // the piece is there until the next call

	rest []byte // of the piece
	err  error  // after it
}

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

// A Reader reads the content of a File from its beginning, one block after the other.
type Reader struct {
	pieces
	f     *File
	i     int          // the next block
	block *BlockReader // of the one before, nil at its end
}

// NewReader returns a Reader of f.
func NewReader(f *File) *Reader {
	r := &Reader{f: f}
	r.next = r.advance
	return r
}

func (r *Reader) advance() (piece []byte, err error) {
	if r.block == nil {
		if r.i == len(r.f.Blocks) {
			return nil, io.EOF
		}
		r.block, err = r.f.OpenBlock(r.i)
		r.i++
		return nil, err
	}
	if piece, err = r.block.Next(maxPiece); err == io.EOF {
		r.block.Close()
		r.block, err = nil, nil
	}
	return piece, err
}
