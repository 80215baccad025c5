// Package safefile opens files that anybody may have made: archives, definitions, memory-mapped
// values. Opening does not wait, and a size is believed only as far as it is read. Files are written
// so that a crash leaves the old text or the new, and a full disk the old.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"pmtools/lib/pmerr"
)

// ErrKind is the error of a pipe, a device or a socket.
var ErrKind = errors.New("not a regular file")

// Open opens a regular file for reading. A directory is the error EISDIR, anything else ErrKind:
// opening a pipe would wait for a writer, and a device may have no end.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: path, Err: ErrKind}
	default:
		return f, info, nil
	}
	f.Close()
	return nil, nil, err
}

// Read returns the content of a regular file of at most limit bytes. A longer one is pmerr.TooBig.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, info.Size(), limit)
}

// ReadStream is Read for a file that the user named, which may also be a pipe, as the shell's
// <(command) is.
func ReadStream(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var size int64
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	return readAll(f, size, limit)
}

// maxHint limits the memory that is taken for a file before anything of it is read.
const maxHint = 1 << 20

// readAll reads to the end of f, unless f says that it is longer than the limit.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	tooBig := &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("%w: more than %d bytes", pmerr.TooBig, limit)}
	if size > limit {
		return nil, tooBig
	}
	text := make([]byte, 0, min(max(size, 0), limit, maxHint)+512)
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return nil, tooBig
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		case len(text) == cap(text):
			text = append(text, 0)[:len(text)]
		}
	}
}
