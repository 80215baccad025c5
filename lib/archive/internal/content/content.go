// Package content reads single files of an archive on demand: a plain file is mapped into memory, a
// compressed one is unpacked as far as it is read.
package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"sync"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// Everything is an end beyond any file.
const Everything = math.MaxInt64

// Options are the archive.Options for reading files.
type Options struct {
	FS        fs.FS  // where the files are; nil for the files of the system
	MemLimit  int64  // how many unpacked bytes are kept in memory; 0 means 4 MiB
	TempDir   string // where the others go
	DiskLimit int64  // how many may go there; 0 means half of the free space
	Warn      func(msg string)
}

func (o *Options) warn(err error, hint string) {
	if o.Warn != nil {
		o.Warn("Error: " + err.Error() + hint)
	}
}

func (o *Options) tempDir() string { return cmp.Or(o.TempDir, os.TempDir()) }

// inside turns a path of the system into one of an fs.FS.
func inside(name string) string { return path.Clean(filepath.ToSlash(name)) }

// Stat describes the file at path.
func (o *Options) Stat(path string) (fs.FileInfo, error) {
	if o.FS != nil {
		return fs.Stat(o.FS, inside(path))
	}
	return os.Stat(path)
}

// List returns the names in a directory; those of the system unsorted.
func (o *Options) List(dir string) ([]string, error) {
	if o.FS != nil {
		entries, err := fs.ReadDir(o.FS, inside(dir))
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		return names, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Readable reports whether path is a file that can be opened. It does not open a file that is not
// regular: opening a pipe would wait.
func (o *Options) Readable(path string) bool {
	if _, err := o.Stat(path); err != nil || o.FS != nil {
		return err == nil
	}
	f, _, err := safefile.Open(path)
	if err == nil {
		f.Close()
	}
	return err == nil || errors.Is(err, safefile.ErrKind)
}

// A File is the content of one file. Slices that it returned stay valid until it is closed. It may
// be shared by goroutines.
type File struct {
	opt    Options
	path   string
	suffix string      // of a compressed file
	info   os.FileInfo // which file is at path

	mu     sync.Mutex
	data   []byte // the content so far
	whole  bool   // the content is complete
	mapped mapping
	file   *os.File        // nil while the pool has closed it, or the file is not one of the system
	source io.ReadCloser   // unpacks file; nil if the file is plain, or its content in blocks
	err    error           // why the content ends early
	ctx    context.Context // of the reader at work

	taken     int64    // how many bytes of memory unpacking takes
	wide      bool     // matches of zstd refer farther back than usual
	kept      int64    // how many bytes of memory the unpacked content uses
	onDisk    int64    // how many it uses in temporary files
	temp      *os.File // the one that grows, whose mapping data is
	chunk     []byte   // for unpacking to it
	blocks    *blocks  // if the content is one of blocks, which data is that long for
	diskLimit int64
}

// Open opens the file at path. Errors have a code, or are those of ctx; the code of a device or a pipe
// is pmerr.Label, as that of a file without a label.
func Open(ctx context.Context, path string, opt Options) (*File, error) {
	if opt.MemLimit <= 0 {
		opt.MemLimit = 4 << 20
	}
	c := &File{opt: opt, path: path, suffix: path[len(Trim(path)):], ctx: ctx}
	c.mu.Lock()
	err := c.reopen()
	c.mu.Unlock()
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Settle ends the content where it is, so that the file keeps no descriptor.
func (c *File) Settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(io.EOF)
}

// Packed reports whether the file is compressed.
func (c *File) Packed() bool { return c.suffix != "" }

// Coded returns err if it has a code or is that of a context, the code of a system error, or else an
// error that wraps code and err.
func Coded(err error, code pmerr.Code) error {
	if cancelled(err) {
		return err
	}
	var coded pmerr.Code
	if errors.As(err, &coded) {
		return err
	}
	if c := pmerr.Of(err); c != pmerr.Generic {
		return c
	}
	return fmt.Errorf("%w: %w", code, err)
}

// cancelled reports whether err is that of a context.
func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// View returns the content up to end or further, or all of a shorter file. The slice is valid even
// with an error, which explains the missing bytes. ctx ends the unpacking.
func (c *File) View(ctx context.Context, end int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view(ctx, end)
}

// view is View for a caller that holds c.mu.
func (c *File) view(ctx context.Context, end int64) ([]byte, error) {
	if c.blocks != nil {
		return c.viewBlocks(ctx, end)
	}
	if end > int64(len(c.data)) && !c.whole {
		c.ctx = ctx
		switch err := c.reopen(); {
		case err != nil && c.data != nil && c.suffix == "" && errors.Is(err, os.ErrNotExist):
			// Nothing is appended to a file that was removed.
		case err != nil:
			return c.data, err
		case c.source == nil:
			c.growPlain()
		default:
			if err := c.unpack(end); err != nil {
				return c.data, err
			}
		}
	}
	if end > int64(len(c.data)) {
		return c.data, c.err
	}
	return c.data, nil
}

// Head reads the beginning of the content into buf, as far as there is any. It does not map a plain
// file.
func (c *File) Head(ctx context.Context, buf []byte) (int, error) {
	if c.suffix != "" || c.opt.FS != nil {
		data, err := c.View(ctx, int64(len(buf)))
		return copy(buf, data), err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reopen(); err != nil {
		return 0, err
	}
	n, err := c.file.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, Coded(err, pmerr.Generic)
	}
	return n, nil
}

// Release allows the system to drop bytes of a mapped file from memory until they are read again.
func (c *File) Release(from, to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mapped.release(from, to)
}

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
	more := min(size/2, 64<<20)
	if c.data, err = c.mapped.extend(c.file, c.data, int(size), int(more)); err != nil {
		c.opt.warn(err, "")
		c.err = Coded(err, pmerr.Generic)
	}
}

func (c *File) finish(err error) {
	c.whole = true
	if !errors.Is(err, io.EOF) {
		c.err = Coded(err, pmerr.LogRec)
	}
	pool.remove(c)
	c.release()
	c.closeTemp()
}

// Close frees all resources.
func (c *File) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(os.ErrClosed)
	c.data, c.blocks = nil, nil
	unpacked.give(&unpacked.memory, c.kept)
	unpacked.give(&unpacked.disk, c.onDisk)
	c.kept, c.onDisk = 0, 0
	return c.mapped.close()
}
