//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mmv

import (
	"os"
	"syscall"

	"pmtools/lib/safefile"
)

// mapFile maps the first size bytes of a file, shared and writable.
func mapFile(f *os.File, size int) ([]byte, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}

// viewFile maps the beginning of a file for reading; nil if it is empty.
func viewFile(f *os.File, size int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}

func unmap(b []byte) { _ = syscall.Munmap(b) }

// replace renames a file, and replaces any file of the new name.
func replace(from, to string) error { return safefile.RenameFile(from, to) }

func remove(path string) error { return safefile.RemoveFile(path) }
