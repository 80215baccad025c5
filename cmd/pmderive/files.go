package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// files is the file system of the process.
type files struct{}

// maxFile is the limit on the length of a configuration file.
const maxFile = 64 << 20

// ReadFile implements repl.Files.
func (files) ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads a configuration file.
func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		return nil, errors.New("file too large")
	}
	return text, err
}

// WriteFile implements repl.Files. A replaced file keeps its mode.
func (files) WriteFile(name string, text []byte, replace bool) error {
	if !replace {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	return replaceFile(name, text)
}

// replaceFile writes a file atomically where possible: a reader sees the old text or the new.
func replaceFile(name string, text []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o666)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"*")
	if err != nil {
		return os.WriteFile(name, text, 0o666) // the directory is read-only for us
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
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
