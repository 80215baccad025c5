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
	f       *File
	whole   int64 // the size up to which blocks are unpacked at once
	i       int   // the next block
	piece   []byte
	err     error        // behind the piece
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
func NewReader(f *File) *Reader { return &Reader{f: f, whole: maxWhole} }

// Read implements io.Reader. What could be unpacked of a damaged block is read before the error.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
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
func (r *Reader) advance() {
	switch {
	case r.stream != nil:
		if r.piece, r.err = r.stream.Next(maxPiece); r.err == io.EOF {
			r.stream.Close()
			r.stream, r.err = nil, nil
		}
	case r.i == len(r.f.Blocks):
		r.err = io.EOF
	case r.i == 0 || r.f.Blocks[r.i].Size > r.whole:
		r.stream, r.err = r.f.OpenBlock(r.i)
		r.i++
	default:
		r.ahead()
		w := <-r.started[0]
		r.started = r.started[1:]
		r.i++
		r.piece, r.err = w.out, w.err
		r.free = append(r.free, w.out[:0])
	}
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
