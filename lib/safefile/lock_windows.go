package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const sharingViolation = syscall.Errno(32)

// Locks reports whether Lock keeps others out.
const Locks = true

// Lock locks a directory until the returned file is closed, a file in the directory that others cannot
// open. The error is ErrLocked if a process has locked it.
func Lock(dir string) (*os.File, error) {
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
