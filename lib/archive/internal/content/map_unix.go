//go:build unix

package content

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapping is the memory mapping of a file. It extends beyond the end of the file, so that appended
// bytes become readable; when that room is used up, a second, larger mapping is made, and the first
// stays valid for slices of it.
type mapping struct {
	maps [][]byte
}

// extend returns the first size bytes of f. old is the previous result, and more is how much the
// file may grow before there has to be another mapping.
func (m *mapping) extend(f *os.File, old []byte, size, more int) ([]byte, error) {
	if size <= cap(old) {
		return old[:size], nil
	}
	if size == 0 {
		return nil, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, size+max(more, 1<<16), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return old, err
	}
	m.maps = append(m.maps, data)
	return data[:size], nil
}

// release drops bytes of the file from memory. They are read again on the next access.
func (m *mapping) release(from, to int64) {
	if len(m.maps) == 0 {
		return
	}
	data, page := m.maps[len(m.maps)-1], int64(os.Getpagesize())
	from = (max(from, 0) + page - 1) / page * page
	if to = min(to, int64(len(data))) / page * page; from < to {
		// It is a hint: if it fails, more memory stays in use.
		_ = unix.Madvise(data[from:to], unix.MADV_DONTNEED)
	}
}

// close removes the mappings.
func (m *mapping) close() error {
	var first error
	for _, data := range m.maps {
		if err := unix.Munmap(data); err != nil && first == nil {
			first = err
		}
	}
	m.maps = nil
	return first
}
