package archive

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pmerr"
)

type files struct {
	base    string // directory and base name
	meta    string
	index   string // "" if there is none
	volumes []volumeFile
}

type volumeFile struct {
	number int32
	path   string
}

// List returns the names of the single archives that Open opens as a set.
func List(name string) ([]string, error) {
	names, err := newLister(&Options{}).expandNames(name)
	known := make(map[string]bool)
	return slices.DeleteFunc(names, func(n string) bool {
		again := known[n]
		known[n] = true
		return again
	}), err
}

// expandNames lists the single archives in a name: commas separate names, a directory stands for its
// archives (archive.md A1.5, A1.6). An empty name at the end is left out.
func (l *lister) expandNames(name string) ([]string, error) {
	if name == "" {
		return nil, &Error{File: name, Offset: -1, Err: pmerr.LogFile}
	}
	var names []string
	parts := strings.Split(strings.TrimSuffix(name, ","), ",")
	if last := len(parts) - 1; parts[last] == "" {
		parts = parts[:last]
	}
	for _, part := range parts {
		inside := []string{part}
		if info, err := l.Stat(part); err == nil && info.IsDir() {
			if inside, err = l.archivesIn(part); err != nil {
				return nil, err
			}
		}
		names = append(names, inside...)
	}
	return names, nil
}

// archivesIn lists the archives of a directory in the order of the directory, as the reference does: the
// order of the metric names depends on it.
func (l *lister) archivesIn(dir string) ([]string, error) {
	entries, err := l.List(dir)
	if err != nil {
		return nil, &Error{File: dir, Offset: -1, Err: content.Coded(err, pmerr.Generic)}
	}
	var names []string
	for _, e := range entries { // a name may come twice, plain and compressed
		if base, ok := strings.CutSuffix(content.Trim(e), ".meta"); ok && base != "" {
			names = append(names, filepath.Join(dir, base))
		}
	}
	if len(names) == 0 {
		return nil, &Error{File: dir, Offset: -1, Err: pmerr.LogFile}
	}
	return names, nil
}

// A lister finds the files of archives. It keeps the lists of directories, grouped by archive: the members
// of a set are often in one directory.
type lister struct {
	content.Options
	shared *Directories // nil for none
	dirs   map[string]map[string][]string
}

func newLister(opt *Options) *lister {
	return &lister{Options: opt.content(), shared: opt.Directories}
}

func (l *lister) files(dir, base string) ([]string, error) {
	groups, ok := l.dirs[dir]
	if !ok {
		var err error
		if groups, err = l.shared.groups(&l.Options, dir); err != nil {
			return nil, err
		}
		if l.dirs == nil {
			l.dirs = make(map[string]map[string][]string)
		}
		l.dirs[dir] = groups
	}
	return groups[base], nil
}

// findFiles finds the files of the archive that name denotes (archive.md A1.3, A1.4).
func (l *lister) findFiles(name string) (*files, error) {
	fail := func(code error) (*files, error) { return nil, &Error{File: name, Offset: -1, Err: code} }
	dir, base := filepath.Split(name)
	// Only a name with a dot can be that of a file; others are not looked for.
	if stem := memberBase(base); stem != base && l.isMember(name) {
		base = stem
	} else if dir, base = filepath.Split(strings.TrimRight(name, "/")); base == "" {
		return fail(pmerr.ENOENT)
	}
	entries, err := l.files(dir, base)
	if err != nil {
		return fail(content.Coded(err, pmerr.Generic))
	}
	f := &files{base: dir + base}
	found := false
	for _, e := range entries {
		kind, ok := strings.CutPrefix(content.Trim(e), base+".")
		if !ok {
			continue
		}
		found = f.add(kind, dir+e) || found
	}
	switch {
	case !found:
		return fail(pmerr.ENOENT)
	case f.meta == "" || len(f.volumes) == 0:
		return fail(pmerr.LogFile)
	}
	slices.SortFunc(f.volumes, func(a, b volumeFile) int { return cmp.Compare(a.number, b.number) })
	return f, nil
}

// add adds a file to f if its kind is that of an archive's file. Plain files take precedence over
// compressed ones.
func (f *files) add(kind, path string) bool {
	plain := content.Trim(path) == path
	switch {
	case kind == "meta":
		if f.meta == "" || plain {
			f.meta = path
		}
		return true
	case kind == "index":
		if f.index == "" || plain {
			f.index = path
		}
		return true
	}
	n, ok := volumeNumber(kind)
	if !ok {
		return false
	}
	i := slices.IndexFunc(f.volumes, func(v volumeFile) bool { return v.number == n })
	switch {
	case i < 0:
		f.volumes = append(f.volumes, volumeFile{n, path})
	case plain:
		f.volumes[i].path = path
	}
	return true
}

func (l *lister) isMember(name string) bool {
	return l.Readable(name) || slices.ContainsFunc(content.Suffixes[:], func(s string) bool { return l.Readable(name + s) })
}

func memberBase(file string) string {
	file = content.Trim(file)
	i := strings.LastIndexByte(file, '.')
	if i <= 0 {
		return file
	}
	kind := file[i+1:]
	if _, ok := volumeNumber(kind); ok || kind == "meta" || kind == "index" {
		return file[:i]
	}
	return file
}

// ParseFile returns the name of the archive that a file belongs to, compressed or not, and the number of its
// volume, which is -1 for metadata and -2 for an index. ok is false for a file that belongs to none.
func ParseFile(name string) (base string, volume int32, ok bool) {
	base = memberBase(name)
	kind, ok := strings.CutPrefix(content.Trim(name), base+".")
	switch {
	case !ok || strings.Trim(base, ".") == "":
		return "", 0, false
	case kind == "meta":
		return base, -1, true
	case kind == "index":
		return base, -2, true
	}
	n, ok := volumeNumber(kind)
	return base, n, ok
}

func volumeNumber(s string) (int32, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int32(n), err == nil
}

// vacant returns fs.ErrExist if a file of an archive called base exists, compressed or not.
func vacant(base string) error {
	dir, name := filepath.Split(base)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != name && memberBase(e.Name()) == name {
			return &fs.PathError{Op: "create", Path: dir + e.Name(), Err: fs.ErrExist}
		}
	}
	return nil
}
