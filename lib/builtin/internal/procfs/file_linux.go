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

// namesIn returns the names in a directory, about most of them at the most.
func namesIn(path string, most int) (names []string, err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var buf [8 << 10]byte
	for len(names) < most {
		n, err := syscall.ReadDirent(f.fd, buf[:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, &fs.PathError{Op: "readdirent", Path: path, Err: err}
		case n == 0:
			return names, nil
		default:
			_, _, names = syscall.ParseDirent(buf[:n], most, names)
		}
	}
	return names, nil
}

// sizeOf returns the size of a directory that the program may list, 0 for others.
func sizeOf(path string) int {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK, unix.AT_EACCESS) != nil {
		return 0
	}
	return int(st.Size)
}
