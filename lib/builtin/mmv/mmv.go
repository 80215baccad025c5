// Package mmv collects the metrics that programs keep in memory-mapped files.
package mmv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Domain is the domain of the metrics, unless the options have another.
const Domain = 70

// Options configure an MMV collector.
type Options struct {
	Dir    string // directory with the files
	Domain uint32 // 0 means Domain
	Name   string // the first component of the names; "" means "mmv"
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Alive reports whether a process exists; nil asks the system.
	Alive func(pid int) bool
	// Logf takes a line about each file that cannot be used; nil drops it.
	Logf func(format string, args ...any)
}

// New returns a collector of the metrics that running programs keep in memory-mapped files.
// Before each request it looks whether files have come, gone or changed.
func New(o *Options) (pmda.Provider, error) {
	m := &collector{}
	if o != nil {
		m.opts = *o
	}
	m.opts.Domain, m.opts.Name = cmp.Or(m.opts.Domain, Domain), cmp.Or(m.opts.Name, "mmv")
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
	if m.opts.Alive == nil {
		m.opts.Alive = host.Alive
	}
	if m.opts.Logf == nil {
		m.opts.Logf = func(string, ...any) {}
	}
	var err error
	m.Agent, err = pmda.New(pmda.Table{Domain: m.opts.Domain, Metrics: m.rows(), Labels: `{"agent":"` + m.opts.Name + `"}`})
	return m, err
}

type collector struct {
	*pmda.Agent
	opts     Options
	files    []*file
	changing []*mmv.Mapped      // files that are being changed
	clusters map[uint32][]*file // files by their cluster numbers
	modified time.Time          // time of the directory at the last read
	reload   bool               // open all files anew with the next request
	moved    bool               // another file has taken the path of an open one
	read     bool               // the directory was read
	metrics  int                // number of metrics in files
	byName   map[string]pcp.ID
	changes  pcp.Changes
}

// Check implements pmda.Checker: it looks whether anything has changed.
func (m *collector) Check(context.Context, *pmda.Client) error {
	if !m.stale() || !m.scan() {
		return nil
	}
	m.changes |= pcp.NamesChanged | pcp.LabelsChanged
	if !m.read {
		m.read, m.changes = true, 0
	}
	if err := m.SetMetrics(m.rows()); err != nil {
		m.opts.Logf("%v", err)
		m.forget()
		return m.SetMetrics(m.rows())
	}
	return nil
}

func (m *collector) forget() {
	for _, f := range m.files {
		f.Close()
	}
	for _, f := range m.changing {
		f.Close()
	}
	m.files, m.changing, m.clusters = nil, nil, nil
}

// Close implements io.Closer.
func (m *collector) Close() error {
	m.forget()
	return nil
}

func (m *collector) stale() bool {
	var modified time.Time
	if fi, err := os.Stat(m.opts.Dir); err == nil {
		modified = fi.ModTime()
	}
	if !m.read || m.reload || m.moved || !modified.Equal(m.modified) {
		m.modified = modified
		return true
	}
	return slices.ContainsFunc(m.files, m.gone) || slices.ContainsFunc(m.changing, (*mmv.Mapped).Changed)
}

// gone reports whether a file has changed or its process has ended. The collector calls it for each
// file before each request; it makes a system call only for a file that ends with a process.
func (m *collector) gone(f *file) bool {
	return f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)) || f.Changed()
}

// Limits of a directory, because any user can create files. maxFiles exceeds the number of
// clusters.
const (
	maxFiles = 4096
	maxFile  = 256 << 20 // bytes of one file
	maxAll   = 256 << 20 // bytes of all files
)

// scan reads the directory, and opens the files that are new or have changed. It reports whether
// the list of files, which is in the order of their names, differs from the one before.
func (m *collector) scan() bool {
	before := map[string]*file{}
	if !m.reload {
		for _, f := range m.files {
			before[f.path] = f
		}
	}
	was := m.files
	for _, f := range m.changing {
		f.Close()
	}
	m.files, m.changing, m.clusters = nil, nil, map[uint32][]*file{}
	for path, err := range m.open(before) {
		m.opts.Logf("%s: %v", filepath.Base(path), err)
	}
	other := !m.read || m.reload || m.moved || !slices.Equal(m.files, was)
	m.reload, m.moved = false, false
	for _, f := range was {
		if !slices.Contains(m.clusters[f.cluster], f) {
			f.Close()
		}
	}
	return other
}

func (m *collector) entries() []string {
	// The first program with metrics creates the directory; until then the error does not matter.
	entries, _ := os.ReadDir(m.opts.Dir)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") || e.IsDir() })
	if len(entries) > maxFiles {
		m.opts.Logf("%s: %d files, of which only %d are read", m.opts.Dir, len(entries), maxFiles)
		entries = entries[:maxFiles]
	}
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = filepath.Join(m.opts.Dir, e.Name())
	}
	return paths
}

// open opens the files of the directory, except those among before that are still the same. It
// yields the path and the error of each file that cannot be used.
func (m *collector) open(before map[string]*file) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		free, room := uint32(1), int64(maxAll)
		for _, path := range m.entries() {
			f, err := m.openFile(path, before[path], min(room, maxFile))
			if err == nil && f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)) {
				err = fmt.Errorf("process %d has gone", f.PID)
				f.Close()
			}
			switch {
			case errors.Is(err, mmv.ErrChanging):
				m.changing = append(m.changing, f.Mapped)
			case err != nil:
				if !yield(path, err) {
					return
				}
				continue
			default:
				free = m.number(f, free)
				m.files = append(m.files, f)
				m.clusters[f.cluster] = append(m.clusters[f.cluster], f)
			}
			room -= f.Size()
		}
	}
}

// LookupName implements pmda.Namer. The agent would look through all names.
func (m *collector) LookupName(ctx context.Context, c *pmda.Client, name string) (pcp.ID, error) {
	if id, ok := m.byName[name]; ok {
		return id, nil
	}
	return m.Agent.LookupName(ctx, c, name)
}

// Fetch implements pmda.Provider.
func (m *collector) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	err := m.Agent.Fetch(ctx, req, dst)
	dst.Changes |= m.changes
	m.changes = 0
	return err
}

type file struct {
	*mmv.Mapped
	path    string
	cluster uint32 // cluster number of the file
	reading *pmda.Reading
	values  [][]*mmv.Value // values of each metric
	content []byte         // content of the file, during a fetch
	at      time.Time      // time of that fetch
}

// openFile opens a file, or returns before, the open file of that path, if it is still the same.
func (m *collector) openFile(path string, before *file, limit int64) (*file, error) {
	if before != nil {
		if info, err := os.Stat(path); err == nil && before.Same(info) && !before.Changed() {
			return before, nil
		}
	}
	mapped, err := mmv.OpenFile(path, limit)
	if err != nil {
		return &file{Mapped: mapped}, err
	}
	f := &file{Mapped: mapped, path: path, values: make([][]*mmv.Value, len(mapped.Metrics))}
	for i := range f.Values {
		v := &f.Values[i]
		f.values[v.Metric] = append(f.values[v.Metric], v)
	}
	f.reading = &pmda.Reading{Read: func(context.Context, *pmda.Request) (err error) {
		var moved bool
		f.at = m.opts.Now()
		f.content, moved, err = f.Content()
		m.moved = m.moved || moved
		return err
	}}
	return f, nil
}

// number gives a file a cluster: its own, or the lowest that no other file has. None below free is;
// the new value of that is returned.
func (m *collector) number(f *file, free uint32) uint32 {
	const most = 1<<11 - 1 // cluster and serial number must fit the identifier of an instance domain
	if f.Cluster > 0 && f.Cluster <= most {
		f.cluster = uint32(f.Cluster)
		return free
	}
	for free < most && m.clusters[free] != nil {
		free++
	}
	f.cluster = free
	return free
}
