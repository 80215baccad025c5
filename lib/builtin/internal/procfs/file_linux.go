package procfs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// A file is a file descriptor. It knows nothing of the runtime's poller, which would cost more system
// calls than reading a file of the kernel does.
type file int

// open opens a file for reading. A named pipe without a writer is empty instead of waiting for one.
func open(path string) (file, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return -1, &fs.PathError{Op: "open", Path: path, Err: err}
		default:
			return file(fd), nil
		}
	}
}

func (f file) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), b)
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

func (f file) Close() error { return syscall.Close(int(f)) }
