package xz

import (
	"io"
	"runtime"
	"sync/atomic"
)

// maxWhole is the size up to which blocks are unpacked at once, each by itself, so that several
// processors can work. Larger blocks are unpacked piece by piece.
const maxWhole = 32 << 20

// A Reader reads the content of a File from its beginning.
type Reader struct {
	f       *File
	whole   int64        // the size up to which blocks are unpacked at once
	i       int          // the next block
	piece   []byte       // what can be read
	err     error        // behind it
	stream  *blockReader // of a large block
	started []chan whole // of the next blocks
	free    []*decoder   // to be used again
	closed  atomic.Bool
}

// A whole is an unpacked block, or what there is of it.
type whole struct {
	d   *decoder
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
	r.closed.Store(true)
	for _, c := range r.started {
		<-c
	}
	r.started, r.stream, r.free = nil, nil, nil
	return nil
}

// advance unpacks the next piece.
func (r *Reader) advance() {
	switch {
	case r.stream != nil:
		if r.piece, r.err = r.stream.next(); r.piece == nil {
			r.stream = nil
		}
	case r.i == len(r.f.Blocks):
		r.err = io.EOF
	case r.f.Blocks[r.i].Size > r.whole:
		b := r.f.Blocks[r.i]
		out := make([]byte, min(b.Size, b.dictionary+2*maxUnpacked))
		r.stream, r.err = r.f.open(b, r.decoder(), out)
		r.i++
	default:
		r.ahead()
		w := <-r.started[0]
		r.started = r.started[1:]
		r.i++
		r.piece, r.err = w.d.out[:w.d.pos], w.err
		r.free = append(r.free, w.d)
	}
}

// ahead starts the unpacking of the next block, and from the second on, of as many behind it as there
// are processors: who reads two blocks will read more.
func (r *Reader) ahead() {
	n := 1
	if r.i > 0 {
		n = min(runtime.GOMAXPROCS(0), 4)
	}
	for k := r.i + len(r.started); k < min(r.i+n, len(r.f.Blocks)) && r.f.Blocks[k].Size <= r.whole; k++ {
		done, d := make(chan whole, 1), r.decoder()
		r.started = append(r.started, done)
		go func() { done <- whole{d, r.unpack(k, d)} }()
	}
}

// decoder returns one that is not in use: of those that are done, all but the last, whose output is
// being read.
func (r *Reader) decoder() *decoder {
	if len(r.free) < 2 {
		return new(decoder)
	}
	d := r.free[0]
	r.free = r.free[1:]
	return d
}

// unpack unpacks block i.
func (r *Reader) unpack(i int, d *decoder) error {
	b := r.f.Blocks[i]
	out := d.out
	if int64(cap(out)) < b.Size {
		out = make([]byte, b.Size)
	}
	d.pos = 0
	s, err := r.f.open(b, d, out[:b.Size])
	for piece := []byte(nil); err == nil; {
		if piece, err = s.next(); piece == nil && err == nil {
			return nil
		}
		if r.closed.Load() {
			return io.ErrClosedPipe
		}
	}
	return err
}
