// Package content reads single files of an archive on demand: a plain file is mapped into memory, a
// compressed one is unpacked as far as it is read.
package content

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"pmtools/lib/pmerr"
)

// maxContent is the maximal length of an unpacked file. A longer one counts as damaged.
const maxContent = 16 << 30

// Everything is an end beyond any file.
const Everything = math.MaxInt64

// readChunk is the number of bytes unpacked at a time.
const readChunk = 256 << 10

// Options are the archive.Options for reading files.
type Options struct {
	MemLimit int64  // how many unpacked bytes are kept in memory; 0 means 64 MiB
	TempDir  string // where the others go
}

// A File is the content of one file. Slices that it returned stay valid until it is closed. It may
// be shared by goroutines.
type File struct {
	opt Options

	mu     sync.Mutex
	data   []byte // the content so far
	whole  bool   // the content is complete
	file   *os.File
	mapped mapping
	source io.ReadCloser // unpacks file; nil if the file is plain
	temp   *os.File      // the content, if it exceeds the memory limit
	err    error         // why the content ends early
}

// Open opens the file at path. Errors have a code.
func Open(path string, opt Options) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Coded(err, pmerr.Generic)
	}
	if opt.MemLimit <= 0 {
		opt.MemLimit = 64 << 20
	}
	c := &File{opt: opt, file: f}
	suffix := path[len(Trim(path)):]
	if suffix == "" {
		return c, nil
	}
	if c.source, err = unpacker(f, suffix); err == nil && suffix != ".xz" {
		// Like the reference, report damage anywhere in such a file when it is opened. The layout
		// of an xz file can be checked without unpacking it.
		_, err = c.View(Everything)
	}
	if err != nil {
		c.Close()
		return nil, Coded(err, pmerr.LogRec)
	}
	return c, nil
}

// ReadAll returns the content of a file and a function that frees it. It is meant for metadata and
// indexes: a plain file is copied, so it may shrink later.
func ReadAll(path string, opt Options) (data []byte, closer func() error, err error) {
	if Trim(path) == path {
		if data, err = os.ReadFile(path); err != nil {
			return nil, nil, Coded(err, pmerr.Generic)
		}
		return data, func() error { return nil }, nil
	}
	c, err := Open(path, opt)
	if err != nil {
		return nil, nil, err
	}
	if data, err = c.View(Everything); err != nil {
		c.Close()
		return nil, nil, err
	}
	return data, c.Close, nil
}

// Coded returns the code of err, or, if it has none, an error that wraps code and err.
func Coded(err error, code pmerr.Code) error {
	if c := pmerr.Of(err); c != pmerr.Generic {
		return c
	}
	return fmt.Errorf("%w: %w", code, err)
}

// View returns the content up to end or further, or all of a shorter file. The slice is valid even
// with an error, which explains what is missing.
func (c *File) View(end int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case end <= int64(len(c.data)) || c.whole:
	case c.source == nil:
		c.growPlain()
	default:
		c.unpack(end)
	}
	if end > int64(len(c.data)) {
		return c.data, c.err
	}
	return c.data, nil
}

// Release allows the system to drop bytes of a mapped file from memory until they are read again.
func (c *File) Release(from, to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mapped.release(from, to)
}

// ReadAt reads bytes of a plain file without touching the mapping, and reports whether it could.
func (c *File) ReadAt(buf []byte, off int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil || c.source != nil || c.whole {
		return false
	}
	_, err := c.file.ReadAt(buf, off)
	return err == nil
}

// growPlain maps the bytes appended to a plain file.
func (c *File) growPlain() {
	info, err := c.file.Stat()
	if err != nil {
		c.err = Coded(err, pmerr.Generic)
		return
	}
	size := info.Size()
	if size <= int64(len(c.data)) {
		return
	}
	if size > math.MaxInt/2 {
		c.err = pmerr.LogRec
		return
	}
	if c.data, err = c.mapped.extend(c.file, c.data, int(size)); err != nil {
		c.err = Coded(err, pmerr.Generic)
	}
}

// unpack makes data at least end bytes long if it can.
func (c *File) unpack(end int64) {
	limit := c.opt.MemLimit
	for int64(len(c.data)) < end {
		if int64(len(c.data)) >= limit {
			c.spill()
			return
		}
		if cap(c.data)-len(c.data) < readChunk {
			grown := make([]byte, len(c.data), min(2*cap(c.data), int(limit))+2*readChunk)
			copy(grown, c.data)
			c.data = grown
		}
		n, err := c.source.Read(c.data[len(c.data) : len(c.data)+readChunk])
		c.data = c.data[:len(c.data)+n]
		if err != nil {
			c.finish(err)
			return
		}
	}
}

// finish ends the unpacking.
func (c *File) finish(err error) {
	c.whole = true
	if !errors.Is(err, io.EOF) {
		c.err = Coded(err, pmerr.LogRec)
	}
	c.source.Close()
	c.file.Close()
	c.source, c.file = nil, nil
}

// spill moves data and the rest of the file to a temporary file and maps that.
func (c *File) spill() {
	temp, err := os.CreateTemp(c.opt.TempDir, "pcp-archive-")
	if err != nil {
		c.finish(err)
		return
	}
	c.temp = temp
	// Where open files can be removed, a crash leaves nothing behind.
	os.Remove(temp.Name())
	size := int64(len(c.data))
	if _, err = temp.Write(c.data); err == nil {
		var n int64
		n, err = io.CopyBuffer(struct{ io.Writer }{temp}, io.LimitReader(c.source, maxContent-size), make([]byte, readChunk))
		size += n
	}
	if err == nil {
		err = io.EOF
	}
	if size >= maxContent || size > math.MaxInt/2 {
		err = pmerr.LogRec
	} else if data, mapErr := c.mapped.extend(temp, nil, int(size)); mapErr == nil {
		c.data = data
	} else {
		err = mapErr
	}
	c.finish(err)
}

// Close frees all resources.
func (c *File) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole, c.data, c.err = true, nil, os.ErrClosed
	if c.source != nil {
		c.source.Close()
		c.source = nil
	}
	if c.file != nil {
		c.file.Close()
		c.file = nil
	}
	if c.temp != nil {
		c.temp.Close()
		os.Remove(c.temp.Name())
		c.temp = nil
	}
	return c.mapped.close()
}
