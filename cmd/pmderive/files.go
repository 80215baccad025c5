package main

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

// files is the file system of the process.
type files struct{}

// maxFile is the limit on the length of a configuration file.
const maxFile = load.MaxFile

// ReadFile implements repl.Files.
func (files) ReadFile(name string) ([]byte, error) {
	return safefile.Read(name, maxFile)
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		return nil, fmt.Errorf("%w: more than %d bytes", pmerr.TooBig, maxFile)
	}
	return text, err
}

// A redirected file is where output goes instead of standard output.
type redirected struct{ *os.File }

// Create implements repl.Files.
func (files) Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return redirected{f}, nil
}

// Glob implements repl.Files.
func (files) Glob(prefix string) []string {
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
