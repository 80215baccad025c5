// Package files is the file system of a command that reads and writes files of definitions.
package files

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pmtools/derive/load"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// FS is the file system of the process. It implements repl.Files.
type FS struct{}

// MaxFile is the limit on the length of a configuration file.
const MaxFile = load.MaxFile

// ReadFile implements repl.Files.
func (FS) ReadFile(name string) ([]byte, error) {
	return safefile.Read(name, MaxFile)
}

// ReadAll reads a configuration file.
func ReadAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		return nil, fmt.Errorf("%w: more than %d bytes", pmerr.TooBig, MaxFile)
	}
	return text, err
}

// A Redirected file is where output goes instead of standard output.
type Redirected struct{ *os.File }

// Create implements repl.Files.
func (FS) Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return Redirected{f}, nil
}

// Glob implements repl.Files.
func (FS) Glob(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), base) || base == "" && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := dir + e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}
