package xz

import (
	"io"
	"runtime"
	"sync/atomic"
)

// maxWhole is the size up to which a Reader unpacks blocks at once, each by itself, so that several
// processors can work. Larger blocks are unpacked piece by piece.
const maxWhole = 32 << 20

// unpack unpacks block i to out, which has its size, and returns how much of it is there in spite of
// an error. Once stop is set it ends soon.
func (f *File) unpack(i int, out []byte, stop *atomic.Bool) (n int, err error) {
	r, err := f.OpenBlock(i)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		piece, err := r.Next(maxPiece)
		n += copy(out[n:], piece)
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case stop.Load():
			return n, io.ErrClosedPipe
		}
	}
}

// A Reader reads the content of a File from its beginning.
type Reader struct {
	pieces
	f       *File
	whole   int64        // the size up to which blocks are unpacked at once
	i       int          // the next block
	stream  *BlockReader // of the first block, or a large one
	started []chan whole // of the next blocks
	free    [][]byte     // memory of blocks that were read
	stop    atomic.Bool
}

// A whole is an unpacked block, or what there is of it.
type whole struct {
	out []byte
	err error
}

// NewReader returns a Reader.
func NewReader(f *File) *Reader {
	r := &Reader{f: f, whole: maxWhole}
	r.next = r.advance
	return r
}

// Close ends the work that was begun ahead.
func (r *Reader) Close() error {
	r.stop.Store(true)
	for _, c := range r.started {
		<-c
	}
	r.started = nil
	return nil
}

// advance unpacks the next piece.
func (r *Reader) advance() (piece []byte, err error) {
	switch {
	case r.stream != nil:
		if piece, err = r.stream.Next(maxPiece); err == io.EOF {
			r.stream.Close()
			r.stream, err = nil, nil
		}
		return piece, err
	case r.i == len(r.f.Blocks):
		return nil, io.EOF
	case r.i == 0 || r.f.Blocks[r.i].Size > r.whole:
		r.stream, err = r.f.OpenBlock(r.i)
		r.i++
		return nil, err
	}
	r.ahead()
	w := <-r.started[0]
	r.started = r.started[1:]
	r.i++
	r.free = append(r.free, w.out[:0])
	return w.out, w.err
}

// ahead starts the unpacking of as many blocks as there are processors: who reads two blocks will read
// more.
func (r *Reader) ahead() {
	for k := r.i + len(r.started); k < min(r.i+Ahead(), len(r.f.Blocks)) && r.f.Blocks[k].Size <= r.whole; k++ {
		done, out := make(chan whole, 1), r.memory(r.f.Blocks[k].Size)
		r.started = append(r.started, done)
		go func() {
			n, err := r.f.unpack(k, out, &r.stop)
			done <- whole{out[:n], err}
		}()
	}
}

// Ahead returns how many blocks are worth being unpacked at the same time.
func Ahead() int { return min(runtime.GOMAXPROCS(0), 4) }

// memory returns memory for a block: that of the first of those that were read, if there are others.
// The last one may still be read.
func (r *Reader) memory(size int64) []byte {
	if len(r.free) > 1 && int64(cap(r.free[0])) >= size {
		b := r.free[0]
		r.free = r.free[1:]
		return b[:size]
	}
	return make([]byte, size)
}
