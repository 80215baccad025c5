package zstd

import (
	"io"
	"runtime"
)

// alone is how many blocks a Reader unpacks by itself: who reads more of them will read many.
const alone = 4

// A Reader unpacks a file from its beginning. From some blocks on another goroutine decodes them
// ahead, while the Reader puts the content together.
type Reader struct {
	d          decoder
	w          window
	k          *block
	count      int         // of blocks
	piece      []byte      // of the content, to be read
	err        error       // behind it
	free, full chan *block // to and from the other goroutine; nil if there is none
}

// NewReader returns a Reader of in. It must be closed, and in is read until then.
func NewReader(in io.Reader) *Reader { return &Reader{d: decoder{in: in}, k: new(block)} }

// Read implements io.Reader. What could be unpacked of a damaged file is read before the error.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.err = r.next(); r.err == nil {
			r.piece, r.err = r.w.write(r.k)
		}
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// next makes k the next block.
func (r *Reader) next() error {
	if r.count++; r.count <= alone || r.full == nil && runtime.GOMAXPROCS(0) == 1 {
		return r.d.next(r.k)
	}
	if r.full == nil {
		r.free, r.full = make(chan *block, 2), make(chan *block, 2)
		r.free <- new(block)
		go r.ahead()
	}
	r.free <- r.k
	r.k = <-r.full
	return r.k.err
}

// ahead decodes blocks until one has an error, or there are no more to be used.
func (r *Reader) ahead() {
	defer close(r.full)
	for k := range r.free {
		k.err = r.d.next(k)
		r.full <- k
		if k.err != nil {
			return
		}
	}
}

// Close ends the work that was begun ahead.
func (r *Reader) Close() error {
	if r.full != nil && r.err != io.ErrClosedPipe {
		close(r.free)
		for range r.full {
		}
	}
	r.piece, r.err = nil, io.ErrClosedPipe
	return nil
}
