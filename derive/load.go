package derive

import (
	"errors"
	"os"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Links can make directories endless. These are how deep they may be nested, and how many files and directories one call
// may come across.
const (
	maxNesting = 40
	maxPaths   = 1 << 16
)

// errLoop is ELOOP.
const errLoop pmerr.Code = -40

// LoadConfig registers the definitions in files (pmLoadDerivedConfig). Each path is a list of files and directories with
// colons between them (on Windows semicolons). Of a directory all files are read, in the order of their names, and those
// in directories below it. Messages about single lines go to the Registry's warn, some of them with newlines inside; the
// error is that of the first file or directory that cannot be read, and ends the work. The number is that of the metrics
// registered, also with an error.
func (r *Registry) LoadConfig(paths ...string) (int, error) {
	l := loader{reg: r}
	for _, path := range paths {
		for _, part := range components(path) {
			if err := l.path(part, 0); err != nil {
				return l.metrics, err
			}
		}
	}
	return l.metrics, nil
}

// LoadDefault is LoadConfig for the list in PCP_DERIVED_CONFIG, of which files and directories that cannot be read are
// passed over in silence.
func (r *Registry) LoadDefault(path string) int {
	if path != "" {
		r.loaded(&File{Path: path, Default: true})
	}
	l := loader{reg: r, lenient: true}
	for _, part := range components(path) {
		if l.path(part, 0) != nil {
			break
		}
	}
	return l.metrics
}

// components splits a list of paths. Nothing after the last separator is no component.
func components(path string) []string {
	parts := strings.Split(path, string(os.PathListSeparator))
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// A loader reads files and directories.
type loader struct {
	reg     *Registry
	lenient bool // what cannot be read is passed over
	metrics int  // registered so far
	seen    int  // files and directories
}

// path reads a file or a directory. An error ends the work.
func (l *loader) path(path string, depth int) error {
	if l.seen++; depth > maxNesting || l.seen > maxPaths {
		return l.failed(path, errLoop, false)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return l.failed(path, err, l.lenient)
	case info.IsDir():
		return l.directory(path, depth)
	case !info.Mode().IsRegular():
		l.reg.loaded(&File{Path: path, Mode: info.Mode()})
		return nil
	}
	l.reg.loaded(&File{Path: path})
	src, err := os.ReadFile(path)
	if err != nil {
		return l.failed(path, err, l.lenient)
	}
	file, _ := syntax.ParseFile(path, src)
	l.metrics += l.reg.load(file)
	return nil
}

// directory reads what is in a directory.
func (l *loader) directory(path string, depth int) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return l.failed(path, err, l.lenient)
	}
	for _, e := range entries {
		if err := l.path(path+"/"+e.Name(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// loaded shows a file to the Observer.
func (r *Registry) loaded(f *File) {
	if o := r.observer(); o != nil {
		o.Loaded(f)
	}
}

// failed returns the error of a path, unless it is passed over.
func (l *loader) failed(path string, err error, passed bool) error {
	l.reg.loaded(&File{Path: path, Err: err})
	if passed {
		return nil
	}
	return err
}

// load applies the lines of a file and returns how many metrics they registered.
func (r *Registry) load(file *syntax.File) int {
	n := 0
	for _, item := range file.Items {
		switch item := item.(type) {
		case *syntax.FileError:
			r.warnFile(item)
		case *syntax.Control:
			place := item.Place.String()
			r.controlList(item.Options, place, place+" Error: ", place+" Warning: ", false)
		case *syntax.Attribute:
			r.attribute(item)
		case *syntax.Definition:
			err := r.Register(item.Name, item.Expr())
			if bad, ok := errors.AsType[*syntax.Error](err); ok {
				r.warnFile(item.SyntaxError(bad))
			} else {
				n++
			}
		}
	}
	return n
}

// attribute sets a help text.
func (r *Registry) attribute(a *syntax.Attribute) {
	r.loaded(&File{Attribute: a})
	kinds := map[string]pcp.TextKind{"oneline": pcp.OneLine, "helptext": pcp.Help}
	kind, known := kinds[a.Attr]
	switch {
	case r.find(a.Name) == nil:
		r.warnFile(a.NotDefined())
	case !known:
		r.warnFile(a.Unknown())
	case r.AddText(a.Name, kind, a.Value) != nil:
		r.warnFile(a.Duplicate())
	}
}

// warnFile passes on a message about a file.
func (r *Registry) warnFile(e *syntax.FileError) { r.warn(strings.TrimSuffix(e.Text(), "\n")) }
