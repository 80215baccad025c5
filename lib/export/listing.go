package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/bloom/xxhash"

	"pmtools/lib/archive"
)

// A listing is the directories with archives below a directory, as they were when they were looked at last.
// Nothing of them is kept open.
type listing struct {
	root    string
	leave   string // a directory that is not looked into
	only    string // an archive of the root, of which nothing else is looked at; "" for none
	folders []*folder
	looks   int
	quiet   time.Duration // an archive that is not the last one does not grow any more after that
	grown   time.Time     // when something was found that had changed
}

// A folder is a directory of a listing. It is not looked at while it is busy.
type folder struct {
	path     string
	modified time.Time // of the directory, when it was listed
	listed   time.Time
	archives []*growth // ascending by name
	busy     bool
	problem
}

// A growth is what was found out about an archive.
type growth struct {
	base   string
	last   string    // the file of the last volume,
	size   int64     // its size,
	time   time.Time // and its time
	others sum       // of the names, the sizes and the times of the other volumes, and the name of the metadata
	meta   bool      // there are metadata
	grown  time.Time // when it has changed last
	dirty  bool      // it has changed since it was exported
	closed bool      // it was exported as an archive that does not grow any more
	resume *bookmark
	torn   int       // exports in turn that found nothing but an unreadable record at the end
	next   time.Time // it is not exported before that
	problem
}

// A problem is an error that lasts.
type problem struct {
	err   error
	tries int  // in turn
	told  bool // about this error
}

const (
	racy = 2 * time.Second // a directory that was changed just before it was listed may change again at the same time
	rare = 12              // how many looks pass between those at archives that do not grow
)

func newListing(root, leave string, quiet time.Duration) *listing {
	l := &listing{root: root, quiet: quiet, folders: []*folder{{path: root}}}
	l.leave, _ = filepath.Abs(leave)
	return l
}

// look finds out what has changed. Its cost is that of a stat for each directory, and for each archive that may
// grow.
func (l *listing) look(now time.Time) {
	for i := 0; i < len(l.folders); i++ { // list adds some
		f := l.folders[i]
		if f.busy {
			continue
		}
		info, err := os.Stat(f.path)
		if err == nil && (!info.ModTime().Equal(f.modified) || f.listed.Sub(f.modified) < racy) {
			f.modified = info.ModTime()
			err = l.list(f, now)
		}
		gone := errors.Is(err, fs.ErrNotExist) && f.path != l.root
		if f.set(err); gone {
			l.folders = slices.Delete(l.folders, i, i+1)
			i--
			continue
		}
		for n, a := range f.archives {
			if n == len(f.archives)-1 || now.Sub(a.grown) < l.quiet || l.looks%rare == 0 {
				l.stat(a, now)
			}
		}
	}
	l.looks++
}

// stat looks at the last volume of an archive.
func (l *listing) stat(a *growth, now time.Time) {
	info, err := os.Stat(a.last)
	if err == nil && (info.Size() != a.size || !info.ModTime().Equal(a.time)) {
		a.size, a.time = info.Size(), info.ModTime()
		l.touch(a, now)
	}
}

func (l *listing) touch(a *growth, now time.Time) {
	a.grown, a.dirty, a.closed = now, true, false
	l.grown = now
	if a.tries > 0 {
		a.next = now
	}
}

// list finds the archives in a directory, and directories below it. It does not follow symbolic links.
func (l *listing) list(f *folder, now time.Time) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	f.listed = now
	found := make(map[string]*growth)
	for _, e := range entries {
		if e.IsDir() && l.only == "" {
			l.add(filepath.Join(f.path, e.Name()), e)
			continue
		}
		base, volume, ok := archive.ParseFile(e.Name())
		info, err := e.Info()
		if !ok || volume < -1 || err != nil || l.only != "" && base != l.only {
			continue // an index, another file, or one that is gone
		}
		a := found[base]
		if a == nil {
			a = &growth{base: filepath.Join(f.path, base)}
			found[base] = a
		}
		a.file(f, e.Name(), volume, info)
	}
	old := f.archives
	f.archives = nil
	for _, a := range found {
		if !a.meta || a.last == "" {
			continue // without metadata or without volumes
		}
		f.archives = append(f.archives, l.keep(old, a, now))
	}
	slices.SortFunc(f.archives, func(a, b *growth) int { return strings.Compare(a.base, b.base) })
	return nil
}

func (l *listing) add(path string, e fs.DirEntry) {
	known := slices.ContainsFunc(l.folders, func(f *folder) bool { return f.path == path })
	if abs, err := filepath.Abs(path); known || strings.HasPrefix(e.Name(), ".") || err != nil || abs == l.leave {
		return
	}
	l.folders = append(l.folders, &folder{path: path})
}

// file adds a file to what is known of an archive.
func (a *growth) file(f *folder, name string, volume int32, info fs.FileInfo) {
	text := name
	if volume >= 0 {
		text = fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano())
	}
	hash := func(text string) sum { return sum(xxhash.Sum64([]byte(text))) }
	switch {
	case volume < 0:
		a.others, a.meta = a.others+hash(text), true
	default:
		_, last, _ := archive.ParseFile(filepath.Base(a.last))
		if a.last != "" && last > volume {
			a.others += hash(text)
			return
		}
		if a.last != "" {
			a.others += hash(fmt.Sprintf("%s %d %d", filepath.Base(a.last), a.size, a.time.UnixNano()))
		}
		a.last, a.size, a.time = filepath.Join(f.path, name), info.Size(), info.ModTime()
	}
}

// keep returns what was known of an archive, with what has been found now.
func (l *listing) keep(old []*growth, found *growth, now time.Time) *growth {
	i := slices.IndexFunc(old, func(a *growth) bool { return a.base == found.base })
	if i < 0 {
		found.dirty, found.grown = true, found.time
		if found.grown.After(now) {
			found.grown = now
		}
		l.grown = now
		return found
	}
	a := old[i]
	if a.others != found.others || a.last != found.last || a.size != found.size || !a.time.Equal(found.time) {
		a.others, a.last, a.size, a.time = found.others, found.last, found.size, found.time
		l.touch(a, now)
	}
	return a
}

// ready returns the archives of a directory that are to be exported now.
func (l *listing) ready(f *folder, now time.Time) (list []*growth) {
	for i, a := range f.archives {
		if (a.dirty || !a.closed && l.complete(f, i, now)) && !now.Before(a.next) {
			list = append(list, a)
		}
	}
	return list
}

// complete reports whether an archive does not grow any more: there are later ones, and it has not changed for a
// while.
func (l *listing) complete(f *folder, i int, now time.Time) bool {
	return i < len(f.archives)-1 && now.Sub(f.archives[i].grown) >= l.quiet
}

// set notes how the last attempt has ended. nil ends the problem.
func (p *problem) set(err error) {
	switch {
	case err == nil:
		*p = problem{}
		return
	case p.err == nil || p.err.Error() != err.Error():
		p.told = false
	}
	p.err = err
	p.tries++
}

// news returns an error that has not been told: a second attempt has failed, too.
func (p *problem) news() error {
	if p.err == nil || p.told || p.tries < 2 {
		return nil
	}
	p.told = true
	return p.err
}

// pause returns how long a failed export is not repeated.
func (p *problem) pause(poll time.Duration) time.Duration {
	return min(poll<<min(max(p.tries-1, 0), 10), cmp.Or(10*time.Minute, poll))
}
