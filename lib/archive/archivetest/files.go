package archivetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Files are the contents of the files of an archive by their suffix: "meta", "index", "0".
type Files map[string][]byte

// ReadFiles reads the files of the archive with that base name.
func ReadFiles(base string) (Files, error) {
	paths, err := filepath.Glob(base + ".*")
	if err != nil {
		return nil, err
	}
	f := make(Files)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f[strings.TrimPrefix(path, base+".")] = b
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("archivetest: %s: %w", base, os.ErrNotExist)
	}
	return f, nil
}

// Write makes the files of the archive with that base name.
func (f Files) Write(base string) error {
	var errs []error
	for suffix, b := range f {
		errs = append(errs, os.WriteFile(base+"."+suffix, b, 0o666))
	}
	return errors.Join(errs...)
}
