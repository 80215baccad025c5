package mmv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// A Mapped is a file that another program updates while this one reads it. Where the system can map
// files into memory, the file is mapped once, and reading it costs no system call; elsewhere it is
// read each time. Goroutines may not share it.
//
// Any program with write permission can truncate the file at any moment. Reading the missing bytes
// is then an error; see [Mapped.Read].
type Mapped struct {
	*File // nil while the file is being changed
	path  string
	info  fs.FileInfo
	view  []byte // nil where files are read each time
}

// OpenFile opens a file of at most limit bytes. While the file is being changed, File is nil, and
// the error ErrChanging: Changed says when that is over.
func OpenFile(path string, limit int64) (*Mapped, error) {
	f, info, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", pmerr.TooBig, info.Size(), limit)
	}
	// Parse gets a copy: the mapped bytes may change after Parse has checked them.
	content := make([]byte, info.Size())
	n, err := io.ReadFull(f, content)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	m := &Mapped{path: path, info: info}
	m.File, err = Parse(content[:n])
	if err != nil && !errors.Is(err, ErrChanging) {
		return nil, err
	}
	view, failed := viewFile(f, n)
	if failed != nil {
		return nil, failed
	}
	m.view = view
	return m, err
}

// Same reports whether info, of the file now at the path, describes the opened file, unchanged.
func (m *Mapped) Same(info fs.FileInfo) bool {
	return os.SameFile(m.info, info) && m.info.Size() == info.Size() && m.info.ModTime().Equal(info.ModTime())
}

// Size returns the size that the file had.
func (m *Mapped) Size() int64 { return m.info.Size() }

// Changed reports whether the file must be opened again: its generation is another, its program has
// ended a change, or it cannot be read.
func (m *Mapped) Changed() bool {
	var h Header
	var err error
	if m.view != nil {
		h, err = m.header()
	} else {
		h, err = readHeader(m.path)
	}
	if m.File == nil {
		return !errors.Is(err, ErrChanging)
	}
	return err != nil || h.Generation != m.Generation
}

func (m *Mapped) header() (h Header, err error) {
	defer unguard(debug.SetPanicOnFault(true), &err)
	return parseHeader(m.view)
}

func readHeader(path string) (Header, error) {
	f, _, err := safefile.Open(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	var head [HeaderSize]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil {
		return Header{}, fmt.Errorf("%w: %d bytes", ErrFormat, n)
	}
	return parseHeader(head[:])
}

// Content returns the current content of the file. Only a function that Read calls may use it. It
// fails if the file is gone; moved reports whether another or a shorter file is at the path.
func (m *Mapped) Content() (b []byte, moved bool, err error) {
	info, err := os.Stat(m.path)
	if err != nil {
		return nil, true, err
	}
	moved = !os.SameFile(m.info, info) || info.Size() < m.info.Size()
	if m.view == nil {
		b, err = safefile.Read(m.path, m.info.Size())
		return b, moved, err
	}
	if b = m.view; os.SameFile(m.info, info) {
		b = b[:min(int64(len(b)), info.Size())] // the rest of the last page reads as zeros
	}
	return b, moved, nil
}

// Read calls f, which may look at the result of Content. If the file is truncated meanwhile, f ends
// at the first missing byte, and the error says so.
func (m *Mapped) Read(f func() error) (err error) {
	defer unguard(debug.SetPanicOnFault(true), &err)
	return f()
}

// unguard restores the setting of debug.SetPanicOnFault and turns a fault into an error.
func unguard(old bool, err *error) {
	debug.SetPanicOnFault(old)
	if x := recover(); x != nil {
		*err = fmt.Errorf("%w: %w", ErrFormat, safefile.Fault(x))
	}
}

// Close ends the mapping. The results of Content may not be used after it.
func (m *Mapped) Close() error {
	view := m.view
	m.view = nil
	if len(view) > 0 {
		unmap(view)
	}
	return nil
}
