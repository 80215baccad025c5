package content

import (
	"errors"
	"io"
)

// Files of compress(1) begin with 1f 9d and a byte: the width of the longest codes, and whether code
// 256 clears the table. Codes of 9 bits and more follow, their lowest bits first, eight of the same
// width at a time. Codes below 256 stand for themselves; each other one, for the text of a code and
// the byte that followed it, is made as the text is unpacked. Where the width changes, the rest of
// eight codes is unused.

const (
	minWidth  = 9
	maxWidth  = 16
	clearCode = 256
)

var errLZW = errors.New("damaged file of compress")

type lzw struct {
	in    io.Reader
	block bool // clearCode is one
	begun bool // there was another code
	widest,
	width int
	codes     [maxWidth + 2]byte // eight codes
	have, pos int                // how many bits of them there are, and how many were taken

	next   int // the code to be made next
	last   int // the code before, -1 for none
	prefix [1 << maxWidth]uint16
	suffix [1 << maxWidth]byte

	text [1 << maxWidth]byte // of the last code, at its end
	rest []byte              // its unread part
}

func newLZW(in io.Reader) (*lzw, error) {
	var head [3]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	z := &lzw{in: in, widest: int(head[2] & 0x1f), block: head[2]&0x80 != 0}
	if head[0] != 0x1f || head[1] != 0x9d || head[2]&0x60 != 0 || z.widest > maxWidth {
		return nil, errLZW
	}
	z.clear()
	return z, nil
}

func (z *lzw) clear() {
	z.width, z.have, z.pos, z.last = minWidth, 0, 0, -1
	z.next = clearCode
	if z.block {
		z.next++
	}
}

func (z *lzw) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(z.rest) == 0 {
			if err = z.step(); err != nil {
				return n, err
			}
		}
		k := copy(b[n:], z.rest)
		z.rest = z.rest[k:]
		n += k
	}
	return n, nil
}

func (z *lzw) step() error {
	if z.next == 1<<z.width && (z.width < z.widest || z.widest == minWidth) {
		if z.width == z.widest {
			return errLZW // gzip reads codes of 10 bits here, which compress -b 9 has not written
		}
		z.width++
		z.have, z.pos = 0, 0
	}
	code, err := z.code()
	switch {
	case err != nil:
		return err
	case z.block && code == clearCode && z.begun:
		z.clear()
		return nil
	case code > z.next || code >= clearCode && z.last < 0:
		return errLZW
	}
	at, from := len(z.text), code
	if code == z.next { // it ends in the first byte of the last one, of which it is made
		at--
		from = z.last
	}
	for from >= clearCode {
		at--
		z.text[at] = z.suffix[from]
		from = int(z.prefix[from])
	}
	at--
	z.text[at] = byte(from)
	if code == z.next {
		z.text[len(z.text)-1] = byte(from)
	}
	if z.last >= 0 && z.next < 1<<z.widest {
		z.prefix[z.next], z.suffix[z.next] = uint16(z.last), byte(from)
		z.next++
	}
	z.last, z.rest, z.begun = code, z.text[at:], true
	return nil
}

func (z *lzw) code() (int, error) {
	if z.pos+z.width > z.have {
		n, err := io.ReadFull(z.in, z.codes[:z.width])
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		z.have, z.pos = 8*n, 0
		if z.width > z.have || err != nil && err != io.EOF {
			return 0, err
		}
	}
	i := z.pos >> 3
	bits := int(z.codes[i]) | int(z.codes[i+1])<<8 | int(z.codes[i+2])<<16
	code := bits >> (z.pos & 7) & (1<<z.width - 1)
	z.pos += z.width
	return code, nil
}
