package mmv

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"pmtools/lib/safefile"
)

// mapFile maps the first size bytes of a file, shared and writable.
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

// viewFile maps nothing: a file that is mapped cannot be replaced.
func viewFile(*os.File, int) ([]byte, error) { return nil, nil }

func unmap(b []byte) { _ = syscall.UnmapViewOfFile(uintptr(unsafe.Pointer(&b[0]))) }

// replace renames a file, and replaces any file of the new name.
func replace(from, to string) error {
	if err := remove(to); err != nil && !os.IsNotExist(err) {
		return err
	}
	return safefile.RenameFile(from, to)
}

// remove removes a file. A mapped file cannot be removed, so it is renamed first; the next registry
// of the same name removes it. If a reader has the file open, remove tries again for a while.
func remove(path string) error {
	dir, name := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &os.PathError{Op: "rename", Path: path, Err: syscall.EISDIR}
	}
	for try := 0; ; try++ {
		aside := filepath.Join(dir, "."+name+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
		err := os.Rename(path, aside)
		if err == nil {
			_ = os.Remove(aside)
		}
		if err == nil || os.IsNotExist(err) || try == 100 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
