//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package mmv

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"pmtools/lib/safefile"
)

func mapFile(*os.File, int) ([]byte, error) {
	return nil, fmt.Errorf("%w: programs on %s do not share memory with those that read it", errors.ErrUnsupported, runtime.GOOS)
}

// viewFile maps nothing: files are read.
func viewFile(*os.File, int) ([]byte, error) { return nil, nil }

func unmap([]byte) {}

func replace(from, to string) error { return safefile.RenameFile(from, to) }

func remove(path string) error { return safefile.RemoveFile(path) }
