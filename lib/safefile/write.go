package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Create writes a new file. The error is fs.ErrExist if the name exists. On a file system with hard
// links a crash leaves no file or the whole file; an error leaves no file.
func Create(name string, text []byte) error {
	f, err := createTemp(filepath.Dir(name), filepath.Base(name), 0o666)
	if err != nil {
		return err
	}
	if err := fill(f, text); err != nil {
		return err
	}
	switch err := LinkFile(f.Name(), name); {
	case err == nil:
		if err = RemoveFile(f.Name()); err == nil {
			err = syncDir(name)
		}
		if err != nil {
			_ = os.Remove(f.Name())
			err = errors.Join(err, os.Remove(name))
		}
		return err
	case errors.Is(err, fs.ErrExist):
		return errors.Join(&fs.PathError{Op: "open", Path: name, Err: syscall.EEXIST}, RemoveFile(f.Name()))
	}
	if err := RemoveFile(f.Name()); err != nil {
		return err
	}
	if f, err = OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return err
	}
	if err := fill(f, text); err != nil {
		return err
	}
	return syncDir(name)
}

// Replace writes a file in the place of one of the same name, if there is one. A reader, and a crash,
// see the old text or the new where the directory can be written. A link stays: the file to which it
// points is written. The file keeps its mode.
func Replace(name string, text []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = Create(name, text); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return rewrite(name, text) // a link to a file that is not there yet
	case err != nil || !info.Mode().IsRegular():
		return rewrite(name, text)
	}
	f, err := createTemp(filepath.Dir(name), filepath.Base(name), info.Mode().Perm())
	if errors.Is(err, fs.ErrPermission) {
		return overwrite(name, text) // the directory is read-only for us
	} else if err != nil {
		return err
	}
	return move(f, name, text, info.Mode().Perm())
}

// Install writes a file into a directory whose every file is read by programs, and replaces a file or a
// link of the same name. The temporary file is in the parent directory if possible, else in the
// directory itself.
func Install(name string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return err
	}
	above, base := filepath.Dir(dir), filepath.Base(name)
	if f, err := createTemp(above, base, mode); err == nil {
		if err = move(f, name, text, mode); !crossing(err) {
			return err
		}
	}
	f, err := createTemp(dir, base, mode)
	if err != nil {
		return err
	}
	return move(f, name, text, mode)
}

// Keep writes a file of this user's programs with a mode, in the place of one of the same name. A crash leaves the old text or the
// new.
func Keep(name string, text []byte, mode fs.FileMode) error {
	f, err := createTemp(filepath.Dir(name), filepath.Base(name), mode)
	if err != nil {
		return err
	}
	return move(f, name, text, mode)
}

// crossing reports whether a file cannot be renamed because its new directory is on another file system.
func crossing(err error) bool { return errors.Is(err, syscall.EXDEV) }

// Remove removes a file for good: it does not come back after a crash.
func Remove(name string) error {
	if err := RemoveFile(name); err != nil {
		return err
	}
	return syncDir(name)
}

// createTemp creates a file in a directory, with a unique name derived from base. The process's umask
// applies to mode.
func createTemp(dir, base string, mode fs.FileMode) (*File, error) {
	if len(base) > 200 { // file systems allow 255 bytes
		base = base[:200]
	}
	for {
		name := filepath.Join(dir, fmt.Sprintf(".%s%d", base, rand.Uint32()))
		f, err := OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if bad, ok := errors.AsType[*fs.PathError](err); ok {
			bad.Path = filepath.Join(dir, base)
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// move fills a new file and gives it the name and the mode.
func move(f *File, name string, text []byte, mode fs.FileMode) error {
	if err := f.Chmod(mode); err != nil {
		return errors.Join(err, f.Close(), RemoveFile(f.Name()))
	}
	if err := fill(f, text); err != nil {
		return err
	}
	if err := RenameFile(f.Name(), name); err != nil {
		return errors.Join(err, RemoveFile(f.Name()))
	}
	return syncDir(name)
}

// syncDir makes the entry of a file in its directory last. File systems that cannot do so, and
// directories that cannot be read, are left alone: the file itself is whole.
func syncDir(name string) error {
	op := Op{Kind: OpSyncDir, Name: filepath.Dir(name)}
	if runtime.GOOS == "windows" { // it has no such call, but tests are the same
		return op.observe()
	}
	d, err := os.Open(op.Name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	defer d.Close()
	return op.sync(d)
}

// fill writes and closes a new file, and removes it if that fails.
func fill(f *File, text []byte) error {
	if err := errors.Join(put(f, text), f.Close()); err != nil {
		return errors.Join(err, RemoveFile(f.Name()))
	}
	return nil
}

// rewrite writes to a name that does not exist, or is not a regular file.
func rewrite(name string, text []byte) error {
	f, err := Output(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// ErrNoReader is the error of a pipe that no process reads.
var ErrNoReader = errors.New("no process reads the pipe")

// Output opens a file for writing and removes its old content. A pipe that no process reads is ErrNoReader: opening it would wait for a
// reader, or lose the text.
func Output(name string) (*File, error) {
	f, err := OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noWait, 0o666)
	if errors.Is(err, syscall.ENXIO) {
		if info, e := os.Stat(name); e == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			err = &fs.PathError{Op: "open", Path: name, Err: ErrNoReader}
		}
	}
	return f, err
}

// Append adds text to the end of a file, which is made if need be, for this user only. After a crash the text may be
// missing in part; a text is written at once. A part, where the disk is full, is taken back.
func Append(name string, text []byte, mode fs.FileMode) error {
	f, err := OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	n, err := f.Write(text)
	if err != nil && n > 0 {
		end, bad := f.f.Seek(0, io.SeekCurrent)
		if info, no := f.Stat(); bad == nil && no == nil && info.Size() == end { // nobody has written after it
			err = errors.Join(err, f.Truncate(end-int64(n)))
		}
	}
	return errors.Join(err, f.Close())
}

// maxOld limits the memory for the text of a file that is overwritten.
const maxOld = 64 << 20

// overwrite writes a file in its place, or leaves the old text there.
func overwrite(name string, text []byte) error {
	f, err := OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	old, err := readAll(f.f, 0, maxOld)
	if err == nil {
		if err = put(f, text); err != nil {
			err = errors.Join(err, put(f, old))
		}
	}
	return errors.Join(err, f.Close())
}

// put makes text all that a file holds, on the disk too: some tell only then that they are full.
func put(f *File, text []byte) error {
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(text))); err != nil {
		return err
	}
	return f.Sync()
}
