package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile implements repl.Files. A replaced file keeps its mode. After an error a new file is not
// there, and one that was there has its old text.
func (FS) WriteFile(name string, text []byte, replace bool) error {
	if replace {
		return Replace(name, text)
	}
	return createFile(name, text)
}

func createFile(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return Fill(f, text)
}

// Replace writes a file atomically where possible: a reader sees the old text or the new.
func Replace(name string, text []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = createFile(name, text); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.WriteFile(name, text, 0o666) // a link to a file that is not there yet
	case err != nil || !info.Mode().IsRegular():
		return os.WriteFile(name, text, 0o666)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"*")
	if err != nil {
		return Overwrite(name, text) // the directory is read-only for us
	}
	if err := f.Chmod(info.Mode().Perm()); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := Fill(f, text); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Fill writes and closes a new file, and removes it if that fails.
func Fill(f *os.File, text []byte) error {
	if err := errors.Join(put(f, text), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Overwrite writes a file in its place, or leaves the old text there.
func Overwrite(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	old, err := ReadAll(f)
	if err == nil {
		if err = put(f, text); err != nil {
			err = errors.Join(err, put(f, old))
		}
	}
	return errors.Join(err, f.Close())
}

// put makes text all that a file holds, on the disk too: some tell only then that they are full.
func put(f *os.File, text []byte) error {
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(text))); err != nil {
		return err
	}
	if err := f.Sync(); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
