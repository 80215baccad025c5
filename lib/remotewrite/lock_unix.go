//go:build unix && !solaris && !illumos && !aix

package remotewrite

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a directory for as long as the file is open.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
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

func current(f *os.File, dir string) bool {
	mine, err := f.Stat()
	now, e := os.Stat(dir)
	return err == nil && e == nil && os.SameFile(mine, now)
}

func syncDir(f *os.File) error { return f.Sync() }

func release(f *os.File, dir string) error {
	_ = os.Remove(dir)
	return f.Close()
}
