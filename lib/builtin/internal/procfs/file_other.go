//go:build !linux

package procfs

import (
	"errors"
	"os"
)

func open(path string, _ way) (*os.File, error) { return os.Open(path) }

// namesIn returns the names in a directory, most of them at the most.
func namesIn(path string, _ int) ([]string, error) { return readDir(path, (*os.File).Readdirnames) }

func sizeOf(string) int { return 0 }

func linkAtOnce(path string) string {
	target, _ := os.Readlink(path)
	return target
}

type pageRegion struct{}

// Pages is an error: only Linux lists the pages in memory.
func (p *Root) Pages(string, uint64, uint64, func(start, end uint64)) error {
	return errors.ErrUnsupported
}
