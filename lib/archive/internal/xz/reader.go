package xz

import "io"

// A content is read from its beginning, as it is unpacked to out. What comes before damage is read before the error.
type content struct {
	decoder
	next   func() error // unpacks a piece of at most maxPiece bytes, or returns why there is none
	most   int64        // the largest size of the content
	unread int          // place in out
	end    error        // after the content that is in out
}

const maxPiece = 1 << 16

// limit returns the largest size of out. A quarter more than matches may refer to makes moves rare.
func (c *content) limit() int { return int(min(c.keep+max(c.keep/4, 4*maxPiece), c.most+2*maxPiece)) }

// makeRoom makes room for two pieces: it drops bytes that matches cannot refer to. The memory grows with the content.
func (c *content) makeRoom() {
	if len(c.out)+2*maxPiece <= cap(c.out) {
		return
	}
	if n := min(2*cap(c.out)+2*maxPiece, c.limit()); n > cap(c.out) {
		c.out = append(make([]byte, 0, n), c.out...)
	}
	if from := int64(len(c.out)) - c.keep; from > 0 && len(c.out)+2*maxPiece > cap(c.out) {
		c.out = append(c.out[:0], c.out[from:]...)
		c.base = max(c.base-int(from), 0)
		c.unread = len(c.out)
	}
}

// Read reads content.
func (c *content) Read(p []byte) (int, error) {
	if c.unread == len(c.out) {
		c.makeRoom()
		for want := min(len(p), maxPiece); c.end == nil && len(c.out)-c.unread < want; {
			c.end = c.next()
		}
	}
	n := copy(p, c.out[c.unread:])
	if c.unread += n; n == 0 && len(p) > 0 {
		return 0, c.end
	}
	return n, nil
}

// A Reader reads the content of a File from its beginning, one block after the other.
type Reader struct {
	f     *File
	i     int          // the next block
	block *BlockReader // of the one before, nil at its end
}

// NewReader returns a Reader of f.
func NewReader(f *File) *Reader { return &Reader{f: f} }

// Read reads content.
func (r *Reader) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		if r.block == nil {
			if r.i == len(r.f.Blocks) {
				return 0, io.EOF
			}
			if r.block, err = r.f.OpenBlock(r.i); err != nil {
				return 0, err
			}
			r.i++
		}
		if n, err = r.block.Read(p); err == io.EOF {
			r.block, err = nil, nil
		}
	}
	return n, err
}
