package builtin

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
	"pmtools/lib/pmerr"
)

// MMVDomain is the usual domain of NewMMV.
const MMVDomain = 70

// MMVOptions say what an MMV collector reads.
type MMVOptions struct {
	Dir    string // with the files
	Domain uint32 // 0 means MMVDomain
	Name   string // the first component of the names; "" means "mmv"
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Alive reports whether a process exists; nil asks the system.
	Alive func(pid int) bool
	// Logf takes a line about each file that cannot be used; nil drops it.
	Logf func(format string, args ...any)
}

// NewMMV returns a collector of the metrics that running programs keep in
// memory-mapped files (collector.md C13.4). Before each request it looks whether
// files have come, gone or changed.
func NewMMV(o *MMVOptions) (pmda.Provider, error) {
	m := &mmvCollector{}
	if o != nil {
		m.opts = *o
	}
	if m.opts.Domain == 0 {
		m.opts.Domain = MMVDomain
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

// mmvCollector is the collector.
type mmvCollector struct {
	*pmda.Agent
	opts     MMVOptions
	files    []*mmvFile
	modified time.Time // of the directory, when it was read last
	reload   bool      // read everything anew with the next request
	read     bool      // it was read once
	metrics  int       // of files
	byName   map[string]pcp.ID
	changes  pcp.Changes
}

// Check implements pmda.Checker: it looks whether anything has changed.
func (m *mmvCollector) Check(context.Context, *pmda.Client) error {
	if !m.stale() {
		return nil
	}
	m.scan()
	if err := m.SetMetrics(m.rows()); err != nil {
		m.logf("%v", err)
		m.files = nil
		return m.SetMetrics(m.rows())
	}
	return nil
}

// logf writes a line to the log.
func (m *mmvCollector) logf(format string, args ...any) {
	if m.opts.Logf != nil {
		m.opts.Logf(format, args...)
	}
}

// stale reports whether the files must be read again.
func (m *mmvCollector) stale() bool {
	var modified time.Time
	if fi, err := os.Stat(m.opts.Dir); err == nil {
		modified = fi.ModTime()
	}
	if !m.read || m.reload || !modified.Equal(m.modified) {
		m.modified = modified
		return true
	}
	return slices.ContainsFunc(m.files, func(f *mmvFile) bool {
		return f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)) || f.changed()
	})
}

// scan reads all files in the order of their names.
func (m *mmvCollector) scan() {
	if m.read {
		m.changes |= pcp.NamesChanged | pcp.LabelsChanged
	}
	m.read, m.reload, m.files = true, false, nil
	entries, err := os.ReadDir(m.opts.Dir)
	if err != nil {
		return // there is no such directory as long as no program has files
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		f, err := m.open(filepath.Join(m.opts.Dir, e.Name()))
		switch {
		case errors.Is(err, mmv.ErrChanging):
			m.reload = true
		case err != nil:
			m.logf("%s: %v", e.Name(), err)
		case f.Flags&mmv.Process != 0 && !m.opts.Alive(int(f.PID)):
			m.logf("%s: process %d has gone", e.Name(), f.PID)
		default:
			f.number(m.files)
			m.files = append(m.files, f)
		}
	}
}

// LookupName implements pmda.Namer. The agent would look through all names.
func (m *mmvCollector) LookupName(ctx context.Context, c *pmda.Client, name string) (pcp.ID, error) {
	if id, ok := m.byName[name]; ok {
		return id, nil
	}
	return m.Agent.LookupName(ctx, c, name)
}

// Fetch implements pmda.Provider.
func (m *mmvCollector) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	err := m.Agent.Fetch(ctx, req, dst)
	dst.Changes |= m.changes
	m.changes = 0
	return err
}

// mmvFile is a file with metrics.
type mmvFile struct {
	*mmv.File
	path    string
	cluster uint32 // that was given to it
	reading *pmda.Reading
	values  [][]*mmv.Value // of each metric
	bytes   []byte         // what the file contains, during a fetch
	at      time.Time      // of that fetch
}

// open reads a file.
func (m *mmvCollector) open(path string) (*mmvFile, error) {
	b, err := readMMV(path)
	if err != nil {
		return nil, err
	}
	file, err := mmv.Parse(b)
	if err != nil {
		return nil, err
	}
	f := &mmvFile{File: file, path: path, values: make([][]*mmv.Value, len(file.Metrics))}
	for i := range file.Values {
		v := &file.Values[i]
		f.values[v.Metric] = append(f.values[v.Metric], v)
	}
	f.reading = &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		var err error
		f.at = m.opts.Now()
		f.bytes, err = readMMV(f.path)
		return err
	}}
	return f, nil
}

// maxMMVFile is the size of the largest file that is read.
const maxMMVFile = 256 << 20

// readMMV returns the content of a file.
func readMMV(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, pmerr.EINVAL // opening a pipe would wait for ever
	case fi.Size() > maxMMVFile:
		return nil, pmerr.TooBig
	}
	return os.ReadFile(path)
}

// changed reports whether the file must be read again.
func (f *mmvFile) changed() bool {
	file, err := os.Open(f.path)
	if err != nil {
		return true
	}
	defer file.Close()
	var head [mmv.HeaderSize]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return true
	}
	h, err := mmv.ParseHeader(head[:])
	return err != nil || h.Generation != f.Generation
}

// number gives the file a cluster: its own, or the lowest that no other file has.
func (f *mmvFile) number(others []*mmvFile) {
	const most = 1<<11 - 1 // with its serial numbers it must fit an instance domain's identifier
	if f.Cluster > 0 && f.Cluster <= most {
		f.cluster = uint32(f.Cluster)
		return
	}
	for f.cluster = 1; f.cluster < most; f.cluster++ {
		if !slices.ContainsFunc(others, func(o *mmvFile) bool { return o.cluster == f.cluster }) {
			return
		}
	}
}

// prefix returns what stands before the names of the file's metrics.
func (f *mmvFile) prefix(root string) string {
	if f.Flags&mmv.NoPrefix != 0 {
		return root + "."
	}
	return root + "." + filepath.Base(f.path) + "."
}
