package archive

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"

	"pmtools/lib/pmerr"
)

// maxContent is how long a decompressed file may be: what is longer is taken for
// damage.
const maxContent = 16 << 30

// everything is an end that no file reaches.
const everything = math.MaxInt64

// defaultMemLimit is the default of Options.MemLimit.
const defaultMemLimit = 64 << 20

// readChunk is how much is decompressed at a time.
const readChunk = 256 << 10

// content is the bytes of one file as they are needed: a plain file is mapped
// into memory, and mapped on when it grew; a compressed one is decompressed as far
// as somebody looked. Slices that were handed out stay valid until it is closed.
// It may be shared by goroutines.
type content struct {
	path string
	opt  *Options

	mu     sync.Mutex
	data   []byte // what is there now
	whole  bool   // there will not be more
	file   *os.File
	mapped mapping
	source io.ReadCloser // decompresses file; nil if the file is plain
	temp   *os.File      // holds what source gave beyond the memory limit
	err    error         // why there will not be more
}

// openContent opens the file at path.
func openContent(path string, opt *Options) (*content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Offset: -1, Err: codeOf(err)}
	}
	c := &content{path: path, opt: opt, file: f}
	suffix := compression(path)
	if suffix == "" {
		return c, nil
	}
	if c.source, err = decompressor(f, suffix); err == nil && suffix != ".xz" {
		// As with the reference, damage anywhere in such a file shows when it is
		// opened; a file in the xz format tells its layout without decompression.
		_, err = c.view(everything)
	}
	if err != nil {
		c.close()
		return nil, &Error{File: path, Offset: -1, Err: logRecError(err)}
	}
	return c, nil
}

// view returns the bytes that are there, at least end of them unless the file is
// shorter. The error belongs to what is missing: the slice is valid with it.
func (c *content) view(end int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case end <= int64(len(c.data)) || c.whole:
	case c.source == nil:
		c.growPlain()
	default:
		c.decompress(end)
	}
	if end > int64(len(c.data)) {
		return c.data, c.err
	}
	return c.data, nil
}

// release says that bytes are not looked at for now: if they are those of a mapped
// file, they need not stay in memory.
func (c *content) release(from, to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mapped.release(from, to)
}

// readAt reads bytes of a plain file without a look at the mapping.
func (c *content) readAt(buf []byte, off int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil || c.source != nil || c.whole {
		return false
	}
	_, err := c.file.ReadAt(buf, off)
	return err == nil
}

// growPlain maps what was added to a plain file.
func (c *content) growPlain() {
	info, err := c.file.Stat()
	if err != nil {
		c.err = codeOf(err)
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
		c.err = codeOf(err)
	}
}

// decompress makes data at least end bytes long if it can.
func (c *content) decompress(end int64) {
	limit := int64(defaultMemLimit)
	if c.opt.MemLimit > 0 {
		limit = c.opt.MemLimit
	}
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

// finish ends the decompression.
func (c *content) finish(err error) {
	c.whole = true
	if !errors.Is(err, io.EOF) {
		c.err = logRecError(err)
	}
	c.source.Close()
	c.file.Close()
	c.source, c.file = nil, nil
}

// spill moves data and all the rest of the file to a temporary file and maps that.
func (c *content) spill() {
	temp, err := os.CreateTemp(c.opt.TempDir, "pcp-archive-")
	if err != nil {
		c.finish(err)
		return
	}
	c.temp = temp
	// Where an open file can have no name, nothing is left behind by a crash.
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

// close frees everything.
func (c *content) close() error {
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

// logRecError returns err if it carries a code, else one that says that a record
// is damaged, because of err.
func logRecError(err error) error {
	if c := pmerr.Of(err); c != pmerr.Generic {
		return c
	}
	return &causeError{pmerr.LogRec, err}
}

// causeError is a code with the reason for it, which is not part of its text.
type causeError struct {
	code  pmerr.Code
	cause error
}

func (e *causeError) Error() string   { return e.code.Error() }
func (e *causeError) Unwrap() []error { return []error{e.code, e.cause} }

// readAll returns all of a file, in memory of its own: a plain file that shrinks
// later does no harm. It is meant for metadata and indexes.
func readAll(path string, opt *Options) (data []byte, closer func() error, err error) {
	if compression(path) == "" {
		data, err = os.ReadFile(path)
		if err != nil {
			return nil, nil, &Error{File: path, Offset: -1, Err: codeOf(err)}
		}
		return data, func() error { return nil }, nil
	}
	c, err := openContent(path, opt)
	if err != nil {
		return nil, nil, err
	}
	if data, err = c.view(everything); err != nil {
		c.close()
		return nil, nil, &Error{File: path, Offset: -1, Err: logRecError(err)}
	}
	return data, c.close, nil
}
