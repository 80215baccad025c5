package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"pmtools/lib/safefile"
)

// A Store holds the tables of hosts: a directory, or a bucket. Paths are below it, with slashes.
type Store interface {
	// Name returns a path as messages have it.
	Name(path string) string
	// Lock keeps exports that can see the lock from changing the tables of a host, whose manifest
	// is in dir, until unlock is called.
	Lock(ctx context.Context, dir string) (unlock func() error, err error)
	// Open opens a file for reading. The error of a file that is not there is fs.ErrNotExist.
	Open(ctx context.Context, path string) (File, error)
	// Read returns the content of a file of at most limit bytes, and its version.
	Read(ctx context.Context, path string, limit int64) (text []byte, version string, err error)
	// Replace makes a text the content of a file, whole and lasting. version is that which Read has
	// returned, "" if there was no file. Where locks are not seen by all, another version than that
	// is ErrChanged.
	Replace(ctx context.Context, path string, text []byte, version string) error
	// List returns the names of the files and directories in a directory, none if there is none. Those of
	// directories end with a slash.
	List(ctx context.Context, dir string) ([]string, error)
	// Stage makes a Stage for the tables of a host, whose manifest is in dir.
	Stage(ctx context.Context, dir string) (Stage, error)
	// Move gives files that Put has stored their paths, as its result says. A file that has got its
	// path before is left out.
	Move(ctx context.Context, list [][2]string) error
	// Remove removes files. A file that is not there is left out.
	Remove(ctx context.Context, paths []string) error
}

// A File is open for reading.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// A Stage holds the files of an export that are not part of the tables yet.
type Stage interface {
	// Dir returns the directory on this machine where files are written.
	Dir() string
	// Close closes a complete file of Dir. It may be called while others are written.
	Close(f *safefile.File) error
	// Put stores complete files for good, where no pattern of paths finds them. Each is a file of Dir
	// and the path it is to have; the result is for Move.
	Put(ctx context.Context, files [][2]string) (moves [][2]string, err error)
	// Remove ends the stage. Files that Put has stored stay if a manifest may name them.
	Remove(ctx context.Context, named bool) error
}

// ErrChanged is the error of Replace where somebody else has replaced the file.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// Dir is the Store in a directory.
type Dir string

// Name implements Store.
func (d Dir) Name(path string) string { return filepath.Join(string(d), filepath.FromSlash(path)) }

// lockWait is how long an export waits for another one, which holds a lock for as long as it moves files.
const lockWait = time.Minute

// Lock implements Store. It removes what is left of files that were not replaced.
func (d Dir) Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	dir = d.Name(dir)
	if err := safefile.MakeDir(dir, 0o777); err != nil {
		return nil, err
	}
	for begun := time.Now(); ; {
		f, err := safefile.Lock(dir)
		if err == nil {
			_ = safefile.Tidy(dir)
			return f.Close, nil
		}
		if !errors.Is(err, safefile.ErrLocked) || time.Since(begun) > lockWait {
			return nil, err
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Open implements Store.
func (d Dir) Open(_ context.Context, path string) (File, error) {
	f, info, err := safefile.Open(d.Name(path))
	if err != nil {
		return nil, err
	}
	return dirFile{f, info.Size()}, nil
}

type dirFile struct {
	*os.File
	size int64
}

func (f dirFile) Size() int64 { return f.size }

// Read implements Store.
func (d Dir) Read(_ context.Context, path string, limit int64) (text []byte, version string, err error) {
	text, err = safefile.Read(d.Name(path), limit)
	return text, "", err
}

// Replace implements Store.
func (d Dir) Replace(_ context.Context, path string, text []byte, _ string) error {
	return safefile.Replace(d.Name(path), text)
}

// List implements Store.
func (d Dir) List(_ context.Context, dir string) (names []string, err error) {
	entries, err := os.ReadDir(d.Name(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names, err
}

// begin returns the entries of a directory whose names begin with a prefix; none if it is not there. (Glob has no error where it cannot
// be read.)
func begin(dir, prefix string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, err
}

// Move implements Store.
func (d Dir) Move(_ context.Context, list [][2]string) error {
	renames := make([]safefile.Rename, len(list))
	for i, move := range list {
		renames[i] = safefile.Rename{From: d.Name(move[0]), To: d.Name(move[1])}
	}
	return safefile.Move(renames)
}

// Remove implements Store.
func (d Dir) Remove(_ context.Context, paths []string) error {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = d.Name(path)
	}
	return safefile.Forget(names)
}

// Stage implements Store. dir must be locked. It removes the stages whose processes are gone.
func (d Dir) Stage(_ context.Context, dir string) (Stage, error) {
	above := d.Name(dir)
	old, _ := begin(above, "export-")
	for _, dir := range old {
		if f, err := safefile.Lock(dir); err == nil {
			f.Close()
			if safefile.Locks {
				safefile.RemoveAll(dir)
			}
		}
	}
	local, err := safefile.MakeTemp(filepath.Join(above, "export-"))
	if err != nil {
		return nil, err
	}
	lock, err := safefile.Lock(local)
	if err != nil {
		return nil, errors.Join(err, safefile.RemoveFile(local))
	}
	return &dirStage{path: path.Join(dir, filepath.Base(local)), local: local, lock: lock}, nil
}

type dirStage struct {
	path, local string
	lock        *os.File // of the directory, as long as the process lives
}

func (s *dirStage) Dir() string { return s.local }

func (s *dirStage) Close(f *safefile.File) error { return errors.Join(f.Sync(), f.Close()) }

func (s *dirStage) Put(_ context.Context, files [][2]string) (moves [][2]string, err error) {
	if err = safefile.SyncDir(s.local); err == nil {
		err = safefile.SyncDir(filepath.Dir(s.local))
	}
	for _, f := range files {
		_, gone := os.Lstat(f[0])
		err = cmp.Or(err, gone)
		moves = append(moves, [2]string{path.Join(s.path, filepath.Base(f[0])), f[1]})
	}
	return moves, err
}

func (s *dirStage) Remove(_ context.Context, named bool) error {
	err := s.lock.Close()
	if named {
		return err
	}
	return errors.Join(err, safefile.RemoveAll(s.local))
}
