package mmv

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// mapFile maps the beginning of a file, for reading and writing by all who map it.
func mapFile(f *os.File, size int) ([]byte, error) {
	h, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READWRITE, 0, uint32(size), nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer syscall.CloseHandle(h) // the view keeps it
	at, err := syscall.MapViewOfFile(h, syscall.FILE_MAP_WRITE, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil
}

// unmap removes what mapFile returned.
func unmap(b []byte) { _ = syscall.UnmapViewOfFile(uintptr(unsafe.Pointer(&b[0]))) }

// replace gives a file a new name, of which another may be the owner.
func replace(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	if err := remove(to); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Rename(from, to)
}

// remove removes a file. One that is mapped can only be moved aside; the next registry of its name
// removes it.
func remove(path string) error {
	if os.Remove(path) == nil {
		return nil
	}
	dir, name := filepath.Split(path)
	return os.Rename(path, filepath.Join(dir, "."+name+"."+strconv.FormatInt(time.Now().UnixNano(), 36)))
}
