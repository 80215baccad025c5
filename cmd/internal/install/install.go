package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/load"
	"pmtools/derive/syntax"
	"pmtools/lib/safefile"
)

// obstacle describes the existing file at the path of an installation: "" for none or, with same, for a file
// with the same text. A directory, a pipe or a device is an error.
func obstacle(path string, text []byte) (what string, same bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "", false, nil // Put has the error
	case err != nil:
		return "", false, err
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return "is a link to " + to, false, err
	case !info.Mode().IsRegular():
		return "", false, fmt.Errorf("%s is not a file, and is not replaced", path)
	}
	old, err := safefile.Read(path, load.MaxFile)
	if err == nil && bytes.Equal(old, text) {
		return "", true, nil
	}
	return "has other content", false, nil
}

// Put writes a file, and makes the directory of the system or the user, which everybody can read. Others must be there. A crash leaves the old text or the new. No tool reads a part of it, unless the
// directory above cannot be written: then the new text is in the directory for a moment, under another name.
func (t *Tools) Put(path string, text []byte) error {
	dir := filepath.Dir(path)
	err := t.checkDir(dir)
	if err == nil {
		err = t.explain(dir, safefile.MakeDir(dir, 0o755))
	}
	if err == nil {
		err = t.explain(dir, safefile.Install(path, text))
	}
	return err
}

// Count returns the number of definitions in a text.
func Count(text []byte) (n int) {
	for c := range syntax.Chunks("", text) {
		if c.Definition() != nil {
			n++
		}
	}
	return n
}

// find returns the path of a file in dirs by its name, with or without the suffix .conf. The Catalog has the definitions
// in their files.
func (c *Catalog) find(arg string, dirs []string) (string, error) {
	for _, dir := range dirs {
		for _, suffix := range []string{"", ".conf"} {
			path := filepath.Join(dir, arg+suffix)
			if filepath.Base(arg) != arg {
				path = arg + suffix
			}
			if info, err := os.Lstat(path); err == nil && !info.IsDir() && same(filepath.Dir(path), dir) {
				return path, nil
			}
		}
	}
	p := &diagnose.Problem{Msg: arg + " is not a file in " + strings.Join(dirs, " or ")}
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Name == arg {
			p.Notes = append(p.Notes, arg+" is defined in "+e.Place()+": uninstall the file, or edit it")
		}
	}
	return "", p
}

// unknown returns the problem of a name, and which may be meant.
func (c *Catalog) unknown(name, what string) error {
	var names []string
	for i := range c.Entries {
		names = append(names, c.Entries[i].Name)
	}
	return &diagnose.Problem{Msg: name + " " + what, Notes: diagnose.DidYouMean(name, names)}
}
