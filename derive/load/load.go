// Package load reads definitions of derived metrics from files, and settings from the environment,
// into a [derive.Registry].
package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// Links can make directories endless. These are how deep they may be nested, and how many files and
// directories one call may come across.
const (
	maxNesting = 40
	maxPaths   = 1 << 16
)

// MaxFile is the size in bytes of the largest file of definitions that is read, maxTotal that of all
// files of one call.
const (
	MaxFile  = 16 << 20
	maxTotal = 64 << 20
)

const errLoop pmerr.Code = -40

// Config registers the definitions in files (pmLoadDerivedConfig) and returns their number. Each
// path is a list of files and directories with colons between them (on Windows semicolons). From a
// directory all files are read, in the order of their names, and those in directories below it. The
// Registry warns of errors in lines, sometimes with newlines in the text. The first file or
// directory that cannot be read ends the work with an error; the number counts what came before.
func Config(reg *derive.Registry, paths ...string) (int, error) {
	return (&loader{Registry: reg, layer: derive.FileLayer}).lists(paths)
}

// Named is Config for paths that a user has typed: pipes in them, as the shell's <(command) is, and
// devices are read too, not those in directories. Config reads neither, and says nothing about them.
func Named(reg *derive.Registry, paths ...string) (int, error) {
	return (&loader{Registry: reg, layer: derive.FileLayer, streams: true}).lists(paths)
}

func (l *loader) lists(paths []string) (int, error) {
	for _, path := range paths {
		if err := l.list(path); err != nil {
			return l.metrics, err
		}
	}
	return l.metrics, nil
}

// Default is Config for the list in PCP_DERIVED_CONFIG, of which files and directories that cannot
// be read are skipped.
func Default(reg *derive.Registry, path string) int {
	l := loader{Registry: reg, lenient: true, layer: derive.StockLayer}
	if path != "" {
		l.loaded(&derive.File{Path: path, Default: true})
	}
	_ = l.list(path) // only endless links are errors
	return l.metrics
}

// Scan is Default, and found gets each definition in its order, with the error of one that does not
// count: the expression cannot be parsed, or the name is defined already. There are no warnings.
func Scan(reg *derive.Registry, path string, found func(d *syntax.Definition, err error)) {
	l := loader{Registry: reg, layer: derive.FileLayer, lenient: true, found: found}
	_ = l.list(path) // only endless links are errors
}

type loader struct {
	*derive.Registry
	layer   derive.Layer
	lenient bool                                  // what cannot be read is passed over
	streams bool                                  // pipes and devices of the lists are read
	metrics int                                   // registered so far
	seen    int                                   // files and directories
	found   func(d *syntax.Definition, err error) // nil, or the function of Scan
	bytes   int64                                 // of the files
}

// list reads the files and directories of a list. An empty text after the last separator does not count.
func (l *loader) list(paths string) error {
	parts := strings.Split(paths, string(os.PathListSeparator))
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	for _, part := range parts {
		if err := l.path(part, 0); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) path(path string, depth int) error {
	if l.seen++; depth > maxNesting || l.seen > maxPaths {
		return l.failed(&derive.File{Path: path, Err: errLoop}, false)
	}
	read := safefile.Read
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return l.failed(&derive.File{Path: path, Err: err}, l.lenient)
	case info.IsDir():
		return l.directory(path, depth)
	case info.Mode().IsRegular():
	case l.streams && depth == 0:
		read = safefile.ReadStream
	default:
		l.loaded(&derive.File{Path: path, Mode: info.Mode()})
		return nil
	}
	l.loaded(&derive.File{Path: path})
	src, err := read(path, min(MaxFile, maxTotal-l.bytes))
	if err != nil {
		if errors.Is(err, pmerr.TooBig) { // the error of the caller has the words of the code alone
			l.Warn(fmt.Sprintf("%s: a file of definitions has at most %d bytes, and all together %d", path, MaxFile, maxTotal))
		}
		return l.failed(&derive.File{Path: path, Err: err}, l.lenient)
	}
	l.bytes += int64(len(src))
	for c := range syntax.Chunks(path, src) {
		l.items(c.Items)
	}
	return nil
}

func (l *loader) directory(path string, depth int) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return l.failed(&derive.File{Path: path, Err: err, Mode: fs.ModeDir}, l.lenient)
	}
	for _, e := range entries {
		if err := l.path(path+"/"+e.Name(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) loaded(f *derive.File) {
	if o := l.Observer(); o != nil {
		o.Loaded(f)
	}
}

// failed returns the error of a file, unless it is passed over.
func (l *loader) failed(f *derive.File, passed bool) error {
	l.loaded(f)
	if passed {
		return nil
	}
	return diagnose.From(f.Err)
}

func (l *loader) items(list []syntax.Item) {
	for _, item := range list {
		switch item := item.(type) {
		case *syntax.FileError:
			l.warn(item)
		case *syntax.Control:
			l.controls(item.Options, item.Place.String(), l.SetControl, func(missing bool, text string) {
				l.warn(&syntax.FileError{Place: item.Place, Warning: !missing, Msg: text})
			})
		case *syntax.Attribute:
			l.attribute(item)
		case *syntax.Definition:
			err := l.RegisterLine(item, l.layer)
			if l.found != nil {
				l.found(item, err)
			}
			if bad, ok := errors.AsType[*syntax.Error](err); ok {
				l.warn(item.SyntaxError(bad))
			} else {
				l.metrics++
			}
		}
	}
}

func (l *loader) attribute(a *syntax.Attribute) {
	l.loaded(&derive.File{Attribute: a})
	switch l.Note(a.Name, a.Attr, a.Value) {
	case pmerr.Name:
		l.warn(a.NotDefined())
	case pmerr.Arg:
		l.warn(a.Unknown())
	case pmerr.Text:
		l.warn(a.Duplicate())
	}
}

func (l *loader) warn(e *syntax.FileError) {
	if l.found == nil {
		l.Warn(strings.TrimSuffix(e.Text(), "\n"))
	}
}
