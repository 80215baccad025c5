//go:build !unix

package content

import (
	"io"
	"os"
)

// mapping stands for the part of the address space through which a file is seen.
// Here the file is read into memory instead.
type mapping struct{}

// extend returns the first size bytes of f. old is what it returned before.
func (m *mapping) extend(f *os.File, old []byte, size int) ([]byte, error) {
	data := append(old[:len(old):len(old)], make([]byte, size-len(old))...)
	n, err := f.ReadAt(data[len(old):], int64(len(old)))
	if err == io.EOF {
		err = nil
	}
	return data[:len(old)+n], err
}

// release has nothing to do.
func (m *mapping) release(from, to int64) {}

// close has nothing to do.
func (m *mapping) close() error { return nil }
