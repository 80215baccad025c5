package zstd

import (
	"io"
	"runtime"

	"pmtools/lib/archive/internal/pieces"
)

// alone is how many blocks a Reader unpacks by itself: who reads more of them will read many.
const alone = 4

// A Reader unpacks a file from its beginning. From some blocks on another goroutine decodes them
// ahead, while the Reader puts the content together.
type Reader struct {
	pieces.Reader
	d          decoder
	w          window
	k          *block
	count      int         // of blocks
	free, full chan *block // to and from the other goroutine; nil if there is none
}

// NewReader returns a Reader of in. It must be closed, and in is read until then.
func NewReader(in io.Reader) *Reader {
	r := &Reader{d: decoder{in: in}, k: new(block)}
	r.Next = r.unpack
	return r
}

// unpack unpacks the next block.
func (r *Reader) unpack() ([]byte, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	return r.w.write(r.k)
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
	if r.full != nil {
		close(r.free)
		for range r.full {
		}
		r.full = nil
	}
	r.End(io.ErrClosedPipe)
	return nil
}
