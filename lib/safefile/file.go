package safefile

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
)

// An Op is a call that changes files or directories. Tests observe it, and make it fail.
type Op struct {
	Kind OpKind
	Name string // of the file or the directory
	To   string // the new name of OpRename and OpLink, the other one of OpExchange
	File *File  // of the calls of a file; nil for those of names
	At   int64  // where OpWrite writes, -1 for the end; the size of OpTruncate; the flags of OpOpen
	Data []byte // that OpWrite writes; an observer that makes it fail may leave a part of it
}

// An OpKind is the kind of an Op.
type OpKind string

// These are the kinds.
const (
	OpOpen     OpKind = "open"
	OpWrite    OpKind = "write"
	OpTruncate OpKind = "truncate"
	OpSync     OpKind = "sync"
	OpClose    OpKind = "close"
	OpMkdir    OpKind = "mkdir"
	OpRename   OpKind = "rename"
	OpLink     OpKind = "link"
	OpExchange OpKind = "exchange"
	OpRemove   OpKind = "remove"
	OpSyncDir  OpKind = "syncdir"
)

var observer atomic.Pointer[func(*Op) error]

// Observe calls f with each Op of this process, before the operation, or after it for OpClose, until the returned function is called. If
// f fails, the operation fails with that error and is not performed, except OpClose and the rest of Data. Nothing is synced meanwhile,
// because that is slow. Calls of f are concurrent. Only tests use it, one observer at a time.
func Observe(f func(*Op) error) (end func()) {
	if !observer.CompareAndSwap(nil, &f) {
		panic("safefile: there is an observer already")
	}
	return func() { observer.Store(nil) }
}

func (op *Op) observe() error {
	if f := observer.Load(); f != nil {
		if err := (*f)(op); err != nil {
			return &fs.PathError{Op: string(op.Kind), Path: op.Name, Err: err}
		}
	}
	return nil
}

// A File is an open file for writing, with the methods of os.File.
type File struct {
	f    *os.File
	next int64 // where Write writes
}

// OpenFile opens a file for writing, as os.OpenFile does.
func OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	f := new(File)
	if flag&os.O_APPEND != 0 {
		f.next = -1
	}
	op := Op{Kind: OpOpen, Name: name, File: f, At: int64(flag)}
	if err := op.observe(); err != nil {
		return nil, err
	}
	var err error
	f.f, err = os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Name returns the name by which the file was opened.
func (f *File) Name() string { return f.f.Name() }

// OS returns the file of package os, which may be locked or mapped, but not written.
func (f *File) OS() *os.File { return f.f }

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	op := Op{Kind: OpWrite, Name: f.Name(), File: f, At: f.next, Data: b}
	failed := op.observe()
	n, err := f.f.Write(op.Data)
	if f.next >= 0 {
		f.next += int64(n)
	}
	return n, cmp.Or(failed, err)
}

// WriteString implements io.StringWriter.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	op := Op{Kind: OpWrite, Name: f.Name(), File: f, At: at, Data: b}
	failed := op.observe()
	n, err := f.f.WriteAt(op.Data, at)
	return n, cmp.Or(failed, err)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(b []byte, at int64) (int, error) { return f.f.ReadAt(b, at) }

// Stat is that of os.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Chmod is that of os.File.
func (f *File) Chmod(mode fs.FileMode) error { return f.f.Chmod(mode) }

// Truncate is that of os.File.
func (f *File) Truncate(size int64) error {
	op := Op{Kind: OpTruncate, Name: f.Name(), File: f, At: size}
	if err := op.observe(); err != nil {
		return err
	}
	return f.f.Truncate(size)
}

// Sync makes the content of the file last, where the system can do so.
func (f *File) Sync() error {
	op := Op{Kind: OpSync, Name: f.Name(), File: f}
	return op.sync(f.f)
}

func (op *Op) sync(f *os.File) error {
	if observer.Load() != nil {
		return op.observe()
	}
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Close implements io.Closer.
func (f *File) Close() error {
	op := Op{Kind: OpClose, Name: f.Name(), File: f}
	if err := f.f.Close(); err != nil {
		return err
	}
	return op.observe()
}

// RenameFile is os.Rename. The new name is not on the disk until SyncDir.
func RenameFile(from, to string) error {
	op := Op{Kind: OpRename, Name: from, To: to}
	if err := op.observe(); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// LinkFile is os.Link. The new name is not on the disk until SyncDir.
func LinkFile(from, to string) error {
	op := Op{Kind: OpLink, Name: from, To: to}
	if err := op.observe(); err != nil {
		return err
	}
	return os.Link(from, to)
}

// RemoveFile is os.Remove. The file may come back after a crash, until SyncDir.
func RemoveFile(name string) error {
	op := Op{Kind: OpRemove, Name: name}
	if err := op.observe(); err != nil {
		return err
	}
	return os.Remove(name)
}

// RemoveAll removes a directory of files.
func RemoveAll(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		bad := RemoveFile(filepath.Join(dir, e.Name()))
		err = cmp.Or(err, bad)
	}
	if err != nil {
		return err
	}
	return RemoveFile(dir)
}

func mkdir(dir string, perm fs.FileMode) error {
	op := Op{Kind: OpMkdir, Name: dir}
	if err := op.observe(); err != nil {
		return err
	}
	return os.Mkdir(dir, perm)
}

// MakeTemp makes a new directory, accessible to this user only, whose name begins with prefix.
func MakeTemp(prefix string) (dir string, err error) {
	for {
		dir = prefix + strconv.FormatUint(uint64(rand.Uint32()), 10)
		if err = mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}
