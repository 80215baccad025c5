package archive

import (
	"cmp"
	"io/fs"
	"os"
	"sync"
	"time"

	"pmtools/lib/archive/internal/content"
)

// Directories keeps the lists of directories, so that opening each of many archives in a directory does
// not list it again. A directory that has changed, or may have, is listed anew. Goroutines may share it; the
// zero value is ready for use. Options.FS is listed each time.
type Directories struct {
	mu    sync.Mutex
	known map[string]*directory
}

// A directory is the files in a directory by the archives to which they belong.
type directory struct {
	info   fs.FileInfo // before it was listed
	listed time.Time
	groups map[string][]string
}

const (
	racy           = 2 * time.Second // a directory may change within so much time, and its time of change stay
	maxDirectories = 64
)

// groups returns the files in a directory by the archives to which they belong. d may be nil.
func (d *Directories) groups(o *content.Options, name string) (map[string][]string, error) {
	name = cmp.Or(name, ".")
	if d == nil || o.FS != nil {
		return grouped(o, name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := o.Stat(name)
	if x := d.known[name]; err == nil && x != nil && x.holds(info) {
		return x.groups, nil
	}
	x := &directory{info: info, listed: time.Now()}
	delete(d.known, name)
	if x.groups, err = grouped(o, name); err != nil || info == nil {
		return x.groups, err
	}
	if d.known == nil || len(d.known) >= maxDirectories {
		d.known = make(map[string]*directory)
	}
	d.known[name] = x
	return x.groups, nil
}

// holds reports whether a directory has not changed since it was listed.
func (x *directory) holds(info fs.FileInfo) bool {
	at := info.ModTime()
	return os.SameFile(info, x.info) && at.Equal(x.info.ModTime()) && x.listed.Sub(at) >= racy
}

func grouped(o *content.Options, dir string) (map[string][]string, error) {
	entries, err := o.List(dir)
	if err != nil {
		return nil, err
	}
	groups := make(map[string][]string)
	for _, e := range entries {
		b := memberBase(e)
		groups[b] = append(groups[b], e)
	}
	return groups, nil
}
