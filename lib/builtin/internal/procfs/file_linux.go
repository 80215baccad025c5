package procfs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// A file is a file descriptor. It knows nothing of the runtime's poller, which would cost more system
// calls than reading a file of the kernel does.
type file struct{ fd int }

// open opens a file for reading. A named pipe without a writer is empty instead of waiting for one.
func open(path string) (file, error) {
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	for {
		fd, err := syscall.Open(path, flags, 0)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return file{}, &fs.PathError{Op: "open", Path: path, Err: err}
		default:
			return file{fd}, nil
		}
	}
}

func (f file) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(f.fd, b)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f file) Close() error { return syscall.Close(f.fd) }

// sizeOf returns the size of a directory that the program may list, 0 for others.
func sizeOf(path string) int {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK, unix.AT_EACCESS) != nil {
		return 0
	}
	return int(st.Size)
}
