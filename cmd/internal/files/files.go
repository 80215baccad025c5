// Package files is the file system of a command that reads and writes files of definitions.
package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
type Redirected struct{ *safefile.File }

// Close implements io.Closer. The output, and the name of its file, are on the disk after it.
func (r Redirected) Close() error {
	return errors.Join(r.Sync(), r.File.Close(), safefile.SyncDir(filepath.Dir(r.Name())))
}

// Create implements repl.Files.
func (FS) Create(name string) (io.WriteCloser, error) {
	f, err := safefile.Output(name)
	if err != nil {
		return nil, err
	}
	return Redirected{f}, nil
}

// WriteFile implements repl.Files.
func (FS) WriteFile(name string, text []byte, replace bool) error {
	if replace {
		return safefile.Replace(name, text)
	}
	return safefile.Create(name, text)
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

// Below replaces each directory in paths by the wanted files below it. A directory that cannot be
// read, or has no such files, stays, so that opening it reports the reason.
func Below(paths []string, wanted func(name string) bool) (list []string) {
	for _, path := range paths {
		n := len(list)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() && wanted(name) {
					list = append(list, name)
				}
				return err
			})
			if err == nil && len(list) > n {
				continue
			}
		}
		list = append(list[:n], path)
	}
	return list
}
