package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/safefile"
)

// Compaction merges the files of each directory of the tables into few, and puts a new directory in the place of
// the old one at once. A work directory has the new one until then, and the swap, which says what manifests have to
// be told after it: each export, and the next compaction, tells those that were not told.

const (
	compactDir = manifestDir + "/compact" // has a work directory for each directory that is merged
	swapFile   = "swap.json"
	compacted  = "compact-" // begins the names of merged files
)

// A Compacted says what Compact has done, or would do.
type Compacted struct {
	Dirs          int // that were merged
	Before, After int // files of these
	Size, NewSize int64
	Rows          int64
	Left          []string // directories that were left as they are, and why
}

// compaction merges the files of a directory of tables.
type compaction struct {
	root  Dir
	dry   bool
	hosts map[string]*manifest
	names []string // of the hosts, sorted
	left  []string // directories of manifests that cannot be read: the files of their hosts are left as they are
	sum   Compacted
}

// Compact merges the files of the tables in a directory, or if dry only counts them. Exports and readers may run
// meanwhile.
func Compact(ctx context.Context, dir string, dry bool) (*Compacted, error) {
	if strings.Contains(dir, "://") {
		return nil, fmt.Errorf("%s: tables in a bucket are not merged, since readers would find old and new objects together; export to a directory, merge there, and copy it to a new prefix", dir)
	}
	c := &compaction{root: Dir(dir), dry: dry}
	if _, err := os.Stat(c.root.Name(manifestDir)); err != nil {
		return nil, fmt.Errorf("%s: these are not tables that export has written: %w", dir, err)
	}
	if !dry {
		if err := safefile.MakeDir(c.root.Name(compactDir), 0o777); err != nil {
			return nil, err
		}
		lock, err := safefile.Lock(c.root.Name(compactDir))
		if errors.Is(err, safefile.ErrLocked) {
			return nil, fmt.Errorf("%s: another compaction is running", dir)
		} else if err != nil {
			return nil, err
		}
		defer lock.Close()
		if err := c.probe(); err != nil {
			return nil, err
		}
	}
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	if err := c.tidy(); err != nil {
		return nil, err
	}
	for _, d := range c.plan() {
		if err := c.directory(ctx, d); err != nil {
			return &c.sum, err
		}
	}
	return &c.sum, nil
}

// probe returns an error if directories cannot be exchanged.
func (c *compaction) probe() error {
	dir, err := c.workDir()
	if err != nil {
		return err
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err = errors.Join(safefile.MakeDir(a, 0o777), safefile.MakeDir(b, 0o777)); err == nil {
		if err = safefile.Exchange(a, b); err != nil {
			err = fmt.Errorf("%w: compact exchanges directories, so that readers see the old files or the new ones; this takes Linux or macOS, and a file system that can do it", err)
		}
	}
	return errors.Join(err, safefile.RemoveAll(a), safefile.RemoveAll(b), safefile.RemoveAll(dir))
}

func (c *compaction) workDir() (string, error) {
	return safefile.MakeTemp(filepath.Join(c.root.Name(compactDir), "run-"))
}

// read reads the manifests of all hosts, which finishes what was interrupted.
func (c *compaction) read(ctx context.Context) error {
	c.hosts = make(map[string]*manifest)
	dirs, err := begin(c.root.Name(manifestDir), "host=")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		host, err := partitioned(strings.TrimPrefix(name, "host="))
		if err == nil {
			err = c.readHost(ctx, host)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.left = append(c.left, path.Join(manifestDir, name))
			c.sum.Left = append(c.sum.Left, fmt.Sprintf("%s: %v", dir, err))
		}
	}
	c.names = slices.Sorted(maps.Keys(c.hosts))
	return nil
}

// readHost reads the manifest of a host, and makes few units of its many, whose files are merged.
func (c *compaction) readHost(ctx context.Context, host string) error {
	m, unlock, err := seeManifest(ctx, c.root, host, c.dry)
	if err == nil {
		err = unlock()
	}
	if err == nil {
		m.join()
		c.hosts[host] = m
	}
	return err
}

// A planned is a directory with files to be merged.
type planned struct {
	dir  string
	sets []plannedSet
}

type plannedSet struct {
	host  string // "" for files of several
	files []string
	of    map[string][]string
	units int
}

// plan finds the files of each directory: values of all exports form one set, rows of other tables one for each
// export.
func (c *compaction) plan() (list []planned) {
	dirs := make(map[string]map[string]*plannedSet)
	for _, host := range c.names {
		for i := range c.hosts[host].Exports {
			u := &c.hosts[host].Exports[i]
			seen := make(map[string]bool) // the sets of the unit
			for _, file := range u.Files {
				table, _, _ := strings.Cut(file, "/")
				if rowsOf(table) == nil {
					continue
				}
				dir, key := path.Dir(file), table
				if table != "values" {
					key = fmt.Sprint(host, "\x00", i)
				}
				if dirs[dir] == nil {
					dirs[dir] = make(map[string]*plannedSet)
				}
				s := dirs[dir][key]
				if s == nil {
					s = &plannedSet{host: host, of: make(map[string][]string)}
					dirs[dir][key] = s
				}
				if !slices.Contains(s.of[host], file) {
					s.of[host] = append(s.of[host], file)
				}
				if !seen[dir+key] {
					seen[dir+key] = true
					s.units++
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		p := planned{dir: dir}
		for _, key := range slices.Sorted(maps.Keys(dirs[dir])) {
			if s := dirs[dir][key]; s.complete(c.root) {
				p.sets = append(p.sets, *s)
			}
		}
		if len(p.sets) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// complete lists the files that are there, and reports whether merging them changes anything.
func (s *plannedSet) complete(root Dir) bool {
	fresh, values := 0, false
	known := make(map[string]bool)
	for _, host := range slices.Sorted(maps.Keys(s.of)) {
		there := s.of[host][:0]
		for _, file := range s.of[host] {
			if _, err := os.Lstat(root.Name(file)); err != nil {
				continue // somebody has removed it
			}
			there = append(there, file)
			if known[file] {
				continue // it is of several hosts
			}
			known[file] = true
			s.files = append(s.files, file)
			values = strings.HasPrefix(file, "values/")
			if !strings.HasPrefix(path.Base(file), compacted) {
				fresh++
			}
		}
		if s.of[host] = there; len(there) == 0 {
			delete(s.of, host)
		}
	}
	return fresh > 1 || fresh > 0 && (values || len(s.files) > 1)
}

// directory merges the files of a directory.
func (c *compaction) directory(ctx context.Context, p planned) error {
	files, sizes := 0, int64(0)
	for _, s := range p.sets {
		files += len(s.files)
		for _, file := range s.files {
			info, err := os.Stat(c.root.Name(file))
			if err == nil {
				sizes += info.Size()
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if c.dry {
		c.sum.Dirs, c.sum.Before, c.sum.Size = c.sum.Dirs+1, c.sum.Before+files, c.sum.Size+sizes
		c.sum.After += len(p.sets)
		return nil
	}
	work, err := c.workDir()
	if err != nil {
		return err
	}
	w := &dirSwap{compaction: c, dir: p.dir, work: work, infos: make(map[string]fs.FileInfo)}
	rows, err := w.merge(ctx, p.sets)
	if err == nil {
		err = w.replace(ctx)
	}
	if left, ok := errors.AsType[*leftError](err); ok {
		c.sum.Left = append(c.sum.Left, c.root.Name(p.dir)+": "+left.Error())
		return removeWork(work)
	}
	if err != nil {
		if !w.swapped {
			err = errors.Join(err, removeWork(work))
		}
		return err
	}
	c.sum.Dirs, c.sum.Before, c.sum.Size, c.sum.Rows = c.sum.Dirs+1, c.sum.Before+files, c.sum.Size+sizes, c.sum.Rows+rows
	c.sum.After, c.sum.NewSize = c.sum.After+w.count, c.sum.NewSize+w.size
	return removeWork(work)
}

// A leftError says why a directory is left as it is.
type leftError struct{ error }

// A dirSwap makes a directory that takes the place of another.
type dirSwap struct {
	*compaction
	dir     string // below the root
	work    string
	list    []mergedSet
	infos   map[string]fs.FileInfo // of the files that were merged, by path
	count   int                    // of new files
	size    int64
	swapped bool
}

func (w *dirSwap) fresh() string { return filepath.Join(w.work, "new") }

// merge writes the merged files of all sets.
func (w *dirSwap) merge(ctx context.Context, sets []plannedSet) (rows int64, err error) {
	info, err := os.Stat(w.root.Name(w.dir))
	if err == nil {
		err = safefile.MakeDir(w.fresh(), 0o777)
	}
	if err == nil {
		err = os.Chmod(w.fresh(), info.Mode())
	}
	if err != nil {
		return 0, err
	}
	id := strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, s := range sets {
		table, below, _ := strings.Cut(w.dir, "/")
		m := &merger{
			dir: w.fresh(), temp: w.work, name: compacted + id, table: table, many: len(s.of) > 1, count: w.count, infos: w.infos,
			place: place{host: s.host, Partition: Partition{NoHost: !strings.HasPrefix(below, "host=")}, micros: w.micros(s.of)},
		}
		paths := make([]string, len(s.files))
		for i, file := range s.files {
			paths[i] = w.root.Name(file)
		}
		files, err := m.merge(ctx, paths)
		if err != nil {
			return rows, err
		}
		w.count, rows = m.count, rows+m.rows
		set := mergedSet{Of: s.of, Shared: s.units > 1}
		for _, file := range files {
			info, err := os.Stat(filepath.Join(w.fresh(), file))
			if err != nil {
				return rows, err
			}
			w.size += info.Size()
			set.Files = append(set.Files, path.Join(w.dir, file))
		}
		w.list = append(w.list, set)
	}
	return rows, nil
}

// micros reports whether the tables of hosts have microseconds.
func (c *compaction) micros(of map[string][]string) bool {
	for host := range of {
		return c.hosts[host].micros()
	}
	return false
}

// replace puts the new directory in the place of the old one. Hosts that may write there are locked meanwhile.
func (w *dirSwap) replace(ctx context.Context) (failed error) {
	hosts, left := w.names, w.left
	if _, below, _ := strings.Cut(w.dir, "/"); strings.HasPrefix(below, "host=") {
		hosts, left = slices.Sorted(maps.Keys(w.list[0].Of)), nil
	}
	for _, dir := range left {
		unlock, err := w.root.Lock(ctx, dir)
		if err != nil {
			return &leftError{err}
		}
		defer func() { failed = errors.Join(failed, unlock()) }()
	}
	manifests := make(map[string]*manifest)
	for _, host := range hosts {
		m, unlock, err := openManifest(ctx, w.root, host)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, unlock()) }()
		manifests[host] = m
	}
	s, err := w.prepare(manifests)
	if err == nil {
		err = w.exchange(s)
	}
	if err != nil && !w.swapped {
		return err
	}
	for host, m := range manifests {
		if err == nil && m.told(s) {
			w.hosts[host], err = m, m.write(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("%w; %s is merged, and the next export or compaction tells the rest of the manifests", err, w.root.Name(w.dir))
	}
	return safefile.Forget([]string{s.path})
}

// prepare completes the new directory, and says what is to be done after the exchange.
func (w *dirSwap) prepare(manifests map[string]*manifest) (*swap, error) {
	s := &swap{Version: swapVersion, Dir: w.dir, Merges: w.list, path: filepath.Join(w.work, swapFile)}
	for _, do := range []func() error{
		func() error { return w.unchanged(manifests) },
		w.keep,
		func() error { return safefile.SyncDir(w.fresh()) },
		s.write,
		func() error { return safefile.SyncDir(filepath.Dir(w.work)) },
	} {
		if err := do(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (w *dirSwap) exchange(s *swap) error {
	if err := safefile.Exchange(w.fresh(), w.root.Name(w.dir)); err != nil {
		return err
	}
	w.swapped = true
	err := s.late(w.root, w.fresh())
	for _, dir := range []string{filepath.Dir(w.root.Name(w.dir)), w.work} {
		e := safefile.SyncDir(dir)
		err = cmp.Or(err, e)
	}
	return err
}

// unchanged returns an error if an export has replaced one of the files meanwhile.
func (w *dirSwap) unchanged(manifests map[string]*manifest) error {
	known := make(map[string]bool)
	for _, m := range manifests {
		for _, u := range m.Exports {
			for _, file := range u.Files {
				known[m.Host+"\x00"+file] = true
			}
		}
	}
	for _, set := range w.list {
		for host, files := range set.Of {
			for _, file := range files {
				name := w.root.Name(file)
				info, err := os.Lstat(name)
				if err != nil || !os.SameFile(info, w.infos[name]) || !known[host+"\x00"+file] {
					return &leftError{fmt.Errorf("an export has changed %s meanwhile; run compact again", name)}
				}
			}
		}
	}
	return nil
}

// keep gives files that were not merged a name in the new directory.
func (w *dirSwap) keep() error {
	entries, err := os.ReadDir(w.root.Name(w.dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(w.root.Name(w.dir), e.Name())
		if _, merged := w.infos[name]; merged {
			continue
		}
		if e.IsDir() {
			return &leftError{fmt.Errorf("there is a directory, %s, among the files", e.Name())}
		}
		if err := safefile.LinkFile(name, filepath.Join(w.fresh(), e.Name())); err != nil {
			return &leftError{fmt.Errorf("%s is not a file that export has written, and cannot be kept: %w", name, err)}
		}
	}
	return nil
}

// Report returns a line about what was done in a directory.
func (c *Compacted) Report(dir string, dry bool) string {
	switch {
	case c.Dirs == 0:
		return dir + ": nothing to merge"
	case dry:
		return fmt.Sprintf("%s: %d files in %d directories, %s, would be merged", dir, c.Before, c.Dirs, sizeText(c.Size))
	}
	return fmt.Sprintf("%s: %d files in %d directories, %s, merged into %d, %s", dir, c.Before, c.Dirs, sizeText(c.Size), c.After, sizeText(c.NewSize))
}

func sizeText(n int64) string {
	value, unit := float64(n)/1e3, "KB"
	if n >= 1e6 {
		value, unit = value/1e3, "MB"
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + unit
}
