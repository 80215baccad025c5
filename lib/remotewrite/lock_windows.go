package remotewrite

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const sharingViolation = syscall.Errno(32)

// lock opens a file in the directory that others cannot open.
func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		err = ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// current: a directory with an open file keeps its name.
func current(*os.File, string) bool { return true }

// syncDir: the names in a directory cannot be written to the disk one by one.
func syncDir(*os.File) error { return nil }

func release(f *os.File, dir string) error {
	err := f.Close()
	_ = os.Remove(f.Name())
	_ = os.Remove(dir)
	return err
}
