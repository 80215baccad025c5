//go:build unix && !solaris && !illumos && !aix

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// Locks reports whether Lock keeps others out.
const Locks = true

// Lock locks a directory until the returned file is closed. The error is ErrLocked if a process holds the
// lock.
func Lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return f, nil
}
