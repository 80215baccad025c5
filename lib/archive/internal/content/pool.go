package content

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"pmtools/lib/archive/internal/xz"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// maxOpen is how many descriptors archives hold, however many files they consist of. A mapping
// needs none; a file is opened again when it may have grown.
const maxOpen = 16

// pool holds the open files of the process, to which the system's limit applies.
var pool openFiles

type openFiles struct {
	mu    sync.Mutex
	files []*File
}

// use moves c to the end of the list, and closes the files that were not used for long. The caller holds c.mu.
func (p *openFiles) use(c *File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.files); n > 0 && p.files[n-1] == c {
		return
	}
	p.files = append(slices.DeleteFunc(p.files, func(f *File) bool { return f == c }), c)
	for i := 0; len(p.files) > maxOpen && i < len(p.files)-1; {
		// A file in use stays open: its user may be waiting for the pool.
		if f := p.files[i]; !f.mu.TryLock() {
			i++
		} else {
			f.release()
			f.mu.Unlock()
			p.files = slices.Delete(p.files, i, i+1)
		}
	}
}

// yield makes the file that was not used for the longest time, other than c, free its unpacker. It reports
// false if no file has one.
func (p *openFiles) yield(c *File) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.files {
		if f == c || !f.mu.TryLock() {
			continue
		}
		had := f.taken
		if had > 0 {
			f.release()
			p.files = slices.Delete(p.files, i, i+1)
		}
		f.mu.Unlock()
		if had > 0 {
			return true
		}
	}
	return false
}

func (p *openFiles) remove(c *File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = slices.DeleteFunc(p.files, func(f *File) bool { return f == c })
}

// reopen opens the file unless it is open, and unpacks a compressed one again up to its last position. If
// another file has taken its place, the error is os.ErrNotExist.
func (c *File) reopen() error {
	if c.whole {
		return os.ErrClosed
	}
	if c.file == nil && c.source == nil {
		if err := c.open(); err != nil {
			c.release()
			return err
		}
	}
	pool.use(c)
	return nil
}

func (c *File) open() (err error) {
	if c.opt.FS != nil {
		return c.openInside()
	}
	var info os.FileInfo
	c.file, info, err = safefile.Open(c.path)
	switch {
	case errors.Is(err, safefile.ErrKind):
		return fmt.Errorf("%w: %w", pmerr.Label, err)
	case err != nil:
		return Coded(err, pmerr.Generic)
	case c.info != nil && !os.SameFile(info, c.info):
		return os.ErrNotExist
	}
	c.info = info
	return c.openSource(c.file, info.Size())
}

func (c *File) openInside() error {
	data, err := fs.ReadFile(c.opt.FS, inside(c.path))
	if err != nil {
		return Coded(err, pmerr.Generic)
	}
	if c.suffix == "" {
		c.data, c.whole = data, true
		return nil
	}
	return c.openSource(bytes.NewReader(data), int64(len(data)))
}

func (c *File) openSource(in input, size int64) (err error) {
	if c.suffix == "" {
		return nil
	}
	if c.blocks != nil {
		c.blocks.Reopen(in)
		return nil
	}
	packed := &intake{c: c, in: in}
	var unpacked io.ReadCloser
	var memory int64
	if c.suffix == ".xz" {
		var f *xz.File
		if f, err = xz.Open(c.ctx, packed, size); err == nil {
			if c.divide(f) {
				f.Reopen(in)
				return nil
			}
			unpacked, memory = io.NopCloser(xz.NewReader(f)), f.Memory()
		}
	} else {
		unpacked, memory, err = unpacker(packed, c.suffix, c.wide)
	}
	if err == nil {
		err = c.takeMemory(memory, true)
	}
	if err == nil {
		c.source = flow{unpacked, packed}
		// A file that was closed meanwhile goes on after the content that c.data still has.
		_, err = io.CopyN(io.Discard, c.source, int64(len(c.data)))
	}
	switch cancelled := c.ctx.Err(); {
	case err == nil:
		return nil
	case cancelled != nil:
		return cancelled
	}
	return Coded(err, pmerr.LogRec)
}

// release closes the file, its unpacker, and its temporary file unless that holds blocks.
func (c *File) release() {
	if c.blocks != nil {
		c.rest()
	} else {
		c.closeTemp()
	}
	if c.source != nil {
		c.source.Close()
	}
	c.giveMemory(c.taken)
	if c.file != nil {
		c.file.Close()
	}
	c.source, c.file = nil, nil
}
