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

// A Removal is what Remove takes away: a file, or one metric of it.
type Removal struct {
	File   string
	Metric string // "" for the whole file
	Left   int    // how many definitions stay in the file
	text   []byte // what stays
}

// Find returns the Removal for a name of a file in dirs, with or without the suffix .conf, or for that of
// a metric which a file there defines. The Catalog has their definitions.
func (c *Catalog) Find(arg string, dirs []string) (*Removal, error) {
	for _, dir := range dirs {
		for _, suffix := range []string{"", ".conf"} {
			path := filepath.Join(dir, arg+suffix)
			if filepath.Base(arg) != arg {
				path = arg + suffix
			}
			if info, err := os.Lstat(path); err == nil && !info.IsDir() && same(filepath.Dir(path), dir) {
				return &Removal{File: path}, nil
			}
		}
	}
	var places, files []string
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Name == arg {
			places, files = append(places, e.Place()), append(files, e.File)
		}
	}
	switch {
	case files == nil && filepath.Base(arg) != arg:
		return nil, fmt.Errorf("%s is not a file in %s", arg, strings.Join(dirs, " or "))
	case files == nil:
		return nil, c.unknown(arg, "is neither a file nor a definition in "+strings.Join(dirs, " or "))
	case len(files) > 1:
		p := &diagnose.Problem{Msg: fmt.Sprintf("%s is defined in %s", arg, strings.Join(places, " and "))}
		p.Notes = []string{"name the file"}
		return nil, p
	}
	return cut(files[0], arg)
}

// unknown returns the problem of a name, and which may be meant.
func (c *Catalog) unknown(name, what string) error {
	var names []string
	for i := range c.Entries {
		names = append(names, c.Entries[i].Name)
	}
	return &diagnose.Problem{Msg: name + " " + what, Notes: diagnose.DidYouMean(name, names)}
}

// cut returns the Removal of a metric, its texts, and the comments directly before them. A file that
// defines nothing else is removed.
func cut(file, metric string) (*Removal, error) {
	text, err := safefile.Read(file, load.MaxFile)
	if err != nil {
		return nil, err
	}
	r := &Removal{File: file}
	var comments string
	for c := range syntax.Chunks(file, text) {
		switch {
		case c.Comment():
			comments += c.Raw
			continue
		case !isOf(c.Items, metric):
			r.text = append(append(r.text, comments...), c.Raw...)
		}
		comments = ""
	}
	r.text = append(r.text, comments...)
	if r.Left = Count(r.text); r.Left > 0 {
		r.Metric = metric
	}
	return r, nil
}

// isOf reports whether items define a metric, or set one of its texts.
func isOf(items []syntax.Item, metric string) bool {
	for _, item := range items {
		switch item := item.(type) {
		case *syntax.Definition:
			return item.Name == metric
		case *syntax.Attribute:
			return item.Name == metric
		}
	}
	return false
}

// Remove takes away what a Removal says. A link is removed, and not the file to which it points.
func (t *Tools) Remove(r *Removal) error {
	if r.Metric == "" {
		return t.explain(filepath.Dir(r.File), safefile.Remove(r.File))
	}
	return t.explain(filepath.Dir(r.File), safefile.Install(r.File, r.text))
}
