package content

import (
	"errors"
	"io"
)

type input interface {
	io.Reader
	io.ReaderAt
}

// An intake is a compressed file as its unpacker reads it. It ends an unpacker whose reader is cancelled,
// and an unpacker that reads on without producing content.
type intake struct {
	c      *File
	in     input
	barren int64 // bytes read since there was content
}

// maxBarren caps the bytes without content in a row: empty blocks and members, skipped frames, padding.
const maxBarren = 64 << 20

var errBarren = errors.New("compressed file goes on without content")

func (i *intake) Read(b []byte) (int, error) {
	if err := i.c.ctx.Err(); err != nil {
		return 0, err
	}
	if i.barren > maxBarren {
		return 0, errBarren
	}
	n, err := i.in.Read(b)
	i.barren += int64(n)
	return n, err
}

func (i *intake) ReadAt(b []byte, off int64) (int, error) {
	if err := i.c.ctx.Err(); err != nil {
		return 0, err
	}
	return i.in.ReadAt(b, off)
}

type flow struct {
	io.ReadCloser
	in *intake
}

func (f flow) Read(b []byte) (int, error) {
	if err := f.in.c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.ReadCloser.Read(b)
	if n > 0 {
		f.in.barren = 0
	}
	return n, err
}
