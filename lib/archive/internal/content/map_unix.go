//go:build unix

package content

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// mapsWritten says that bytes written to a file show in its mapping.
const mapsWritten = true

// maxMappings caps the mappings of files. Linux allows a process 65,530 by default, and Go's runtime ends
// the program when it gets none.
const maxMappings = 60_000

var mappings atomic.Int64

func mappingsLeft() bool {
	n := mappings.Load()
	if n < maxMappings {
		return true
	}
	text, _ := os.ReadFile("/proc/sys/vm/max_map_count")
	most, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n < most-(65530-maxMappings)
}

// mapping is the memory mapping of a file. It extends beyond the end of the file, so that appended
// bytes become readable; when that room is used up, a second, larger mapping is made, and the first
// stays valid for slices of it.
type mapping struct {
	maps [][]byte
}

// extend returns the first size bytes of f; old is the previous result. The mapping has room for more
// bytes, so that not every growth of the file needs a new mapping.
func (m *mapping) extend(f *os.File, old []byte, size, more int) ([]byte, error) {
	if size <= cap(old) {
		return old[:size], nil
	}
	if size == 0 {
		return nil, nil
	}
	if !mappingsLeft() {
		return old, fmt.Errorf("%w: %d mappings of files are all that a process may have", enomem, mappings.Load())
	}
	data, err := unix.Mmap(int(f.Fd()), 0, size+max(more, 1<<16), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return old, err
	}
	mappings.Add(1)
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

func (m *mapping) close() error {
	var first error
	for _, data := range m.maps {
		mappings.Add(-1)
		err := unix.Munmap(data)
		first = cmp.Or(first, err)
	}
	m.maps = nil
	return first
}
