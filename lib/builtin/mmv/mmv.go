// Package mmv collects the metrics that programs keep in memory-mapped files.
package mmv

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/safefile"
)

// Domain is the usual domain of NewMMV.
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

// NewMMV returns a collector of the metrics that running programs keep in memory-mapped files
// (collector.md C13.4). Before each request it looks whether files have come, gone or changed.
func New(o *Options) (pmda.Provider, error) {
	m := &collector{}
	if o != nil {
		m.opts = *o
	}
	if m.opts.Domain == 0 {
		m.opts.Domain = Domain
	}
	if m.opts.Name == "" {
		m.opts.Name = "mmv"
	}
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
	if m.opts.Alive == nil {
		m.opts.Alive = processAlive
	}
	var err error
	m.Agent, err = pmda.New(pmda.Table{Domain: m.opts.Domain, Metrics: m.rows(), Labels: `{"agent":"` + m.opts.Name + `"}`})
	return m, err
}

// collector is the collector.
type collector struct {
	*pmda.Agent
	opts     Options
	files    []*file
	clusters map[uint32][]*file // files by their cluster numbers
	modified time.Time          // time of the directory at the last read
	reload   bool               // read everything anew with the next request
	read     bool               // the directory was read
	metrics  int                // number of metrics in files
	byName   map[string]pcp.ID
	changes  pcp.Changes
}

// Check implements pmda.Checker: it looks whether anything has changed.
func (m *collector) Check(context.Context, *pmda.Client) error {
	if !m.stale() {
		return nil
	}
	m.scan()
	if err := m.SetMetrics(m.rows()); err != nil {
		m.logf("%v", err)
		m.files, m.clusters = nil, nil
		return m.SetMetrics(m.rows())
	}
	return nil
}

// logf writes a line to the log.
func (m *collector) logf(format string, args ...any) {
	if m.opts.Logf != nil {
		m.opts.Logf(format, args...)
	}
}

// stale reports whether the files must be read again.
func (m *collector) stale() bool {
	var modified time.Time
	if fi, err := os.Stat(m.opts.Dir); err == nil {
		modified = fi.ModTime()
	}
	if !m.read || m.reload || !modified.Equal(m.modified) {
		m.modified = modified
		return true
	}
	return slices.ContainsFunc(m.files, func(f *file) bool {
		return f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)) || f.changed()
	})
}

// maxFiles is the number of files that are read. Any user can create more, and there are not as
// many clusters.
const maxFiles = 4096

// scan reads the files in the order of their names.
func (m *collector) scan() {
	if m.read {
		m.changes |= pcp.NamesChanged | pcp.LabelsChanged
	}
	m.read, m.reload, m.files, m.clusters = true, false, nil, map[uint32][]*file{}
	entries, err := os.ReadDir(m.opts.Dir)
	if err != nil {
		return // the first program with metrics creates the directory
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") || e.IsDir() })
	if len(entries) > maxFiles {
		m.logf("%s: %d files, of which only %d are read", m.opts.Dir, len(entries), maxFiles)
		entries = entries[:maxFiles]
	}
	free := uint32(1)
	for _, e := range entries {
		f, err := m.open(filepath.Join(m.opts.Dir, e.Name()))
		switch {
		case errors.Is(err, mmv.ErrChanging):
			m.reload = true
		case err != nil:
			m.logf("%s: %v", e.Name(), err)
		case f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)):
			m.logf("%s: process %d has gone", e.Name(), f.PID)
		default:
			free = m.number(f, free)
			m.files = append(m.files, f)
			m.clusters[f.cluster] = append(m.clusters[f.cluster], f)
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

// file is a file with metrics.
type file struct {
	*mmv.File
	path    string
	cluster uint32 // cluster number of the file
	reading *pmda.Reading
	values  [][]*mmv.Value // values of each metric
	bytes   []byte         // content of the file, during a fetch
	at      time.Time      // time of that fetch
}

// open reads a file.
func (m *collector) open(path string) (*file, error) {
	b, err := safefile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	parsed, err := mmv.Parse(b)
	if err != nil {
		return nil, err
	}
	f := &file{File: parsed, path: path, values: make([][]*mmv.Value, len(parsed.Metrics))}
	for i := range parsed.Values {
		v := &parsed.Values[i]
		f.values[v.Metric] = append(f.values[v.Metric], v)
	}
	f.reading = &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		var err error
		f.at = m.opts.Now()
		f.bytes, err = safefile.Read(f.path, maxFile)
		return err
	}}
	return f, nil
}

// maxFile is the size of the largest file that is read.
const maxFile = 256 << 20

// changed reports whether the file must be read again.
func (f *file) changed() bool {
	now, _, err := safefile.Open(f.path)
	if err != nil {
		return true
	}
	defer now.Close()
	var head [mmv.HeaderSize]byte
	if _, err := io.ReadFull(now, head[:]); err != nil {
		return true
	}
	h, err := mmv.ParseHeader(head[:])
	return err != nil || h.Generation != f.Generation
}

// number gives a file a cluster: its own, or the lowest that no other file has. All clusters below
// free are taken; the result is the new value of free.
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

// prefix returns the prefix of the names of the file's metrics.
func (f *file) prefix(root string) string {
	if f.Flags&mmv.NoPrefix != 0 {
		return root + "."
	}
	return root + "." + filepath.Base(f.path) + "."
}
