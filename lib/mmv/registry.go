package mmv

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"pmtools/lib/config"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile"
)

// Options configure the file of a registry.
type Options struct {
	// Dir is the directory of the file, which must exist; "" means $PCP_TMP_DIR/mmv as the
	// environment or pcp.conf defines it, where PCP's agent looks.
	Dir string
	// Cluster is the cluster number of the metrics' identifiers, at most 2047; for 0 the reader
	// chooses one.
	Cluster int32
	// Flags modify the meaning of the file.
	Flags Flags
}

// A Registry writes the metrics of this program to a file that other programs map. Goroutines may
// share it.
//
// Each registration writes a new file with the current values and renames it over the old one;
// [Registry.Batch] does so once for many registrations. Readers find either the old or the new
// file.
type Registry struct {
	name string
	opts Options

	mu      sync.Mutex
	domains []*Domain
	metrics []*metric
	labels  []Label
	file    *mapping // what readers find; nil if there is nothing
	last    uint64   // its generation
	batch   int      // calls of Batch that have not returned
	changed bool     // something was registered that the file has not
	closed  bool
	errs    []error

	moving sync.Mutex // held while a value moves, or is repaired after that
}

// open reports whether there is a file, or will be one.
func (r *Registry) open() bool { return r.name != "" && !r.closed }

// ErrClosed is the error of a registration after [Registry.Close], or with a zero Registry.
var ErrClosed = errors.New("the registry is closed")

// Create makes the file of a registry, without metrics. The name becomes the second component of
// the metrics' names, as acme in mmv.acme.products.count, unless [NoPrefix] is set. A file of the
// same name is replaced.
//
// [Registry.Err] reports all later errors, which a program may ignore: its updates then have no
// effect, as with a nil Registry.
func Create(name string, opts Options) (*Registry, error) {
	r := &Registry{name: name, opts: opts}
	err := r.check()
	if err == nil {
		r.sweep()
		err = r.publish()
	}
	if err != nil {
		return nil, fmt.Errorf("mmv: %s: %w", name, err)
	}
	return r, nil
}

// check reports mistakes in the name and the options, and finds the directory.
func (r *Registry) check() error {
	const most = 1<<11 - 1 // with a serial number it must fit the identifier of an instance domain
	switch {
	case !ValidName(r.name):
		return fmt.Errorf("%w: the name of a file has letters, digits and _, and does not begin with a dot", ErrName)
	case len(r.name) >= nameSize:
		return fmt.Errorf("%w: the name of a file has less than %d bytes", ErrName, nameSize)
	case r.opts.Cluster < 0 || r.opts.Cluster > most:
		return fmt.Errorf("cluster %d is not in 0..%d", r.opts.Cluster, most)
	case r.opts.Flags&^(NoPrefix|Process|Sentinel) != 0:
		return fmt.Errorf("unknown flags %#x", uint32(r.opts.Flags))
	}
	if r.opts.Dir == "" {
		c := config.Read(os.LookupEnv, func(name string) (io.ReadCloser, error) { return os.Open(name) })
		if c.Err() != nil {
			return c.Err()
		}
		r.opts.Dir = filepath.Join(c.Get("PCP_TMP_DIR"), "mmv")
	}
	return nil
}

func (r *Registry) path() string { return filepath.Join(r.opts.Dir, r.name) }

// temporary returns the path of a file that readers do not see.
func (r *Registry) temporary(ending string) string {
	return filepath.Join(r.opts.Dir, "."+r.name+"."+ending)
}

// sweep removes the files of processes that ended while they wrote.
func (r *Registry) sweep() {
	left, _ := filepath.Glob(r.temporary("*"))
	for _, path := range left {
		if fi, err := os.Stat(path); err == nil && time.Since(fi.ModTime()) > time.Minute {
			_ = safefile.RemoveFile(path)
		}
	}
}

// Err returns all errors of registrations; nil without any. The file has the other registrations.
func (r *Registry) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}

// fail notes an error. A limit keeps repeated mistakes from filling the memory.
func (r *Registry) fail(format string, args ...any) {
	if len(r.errs) >= 100 {
		return
	}
	r.errs = append(r.errs, fmt.Errorf("mmv: "+r.name+": "+format, args...))
}

// Batch calls f, and then writes the file once for all that f registered.
func (r *Registry) Batch(f func()) {
	if r == nil {
		f()
		return
	}
	r.mu.Lock()
	r.batch++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.batch--; r.changed {
			r.update()
		}
	}()
	f()
}

// update writes the file, now or when the batch ends.
func (r *Registry) update() {
	if r.changed = r.batch > 0; r.changed {
		return
	}
	if err := r.publish(); err != nil {
		r.fail("%w", err)
	}
}

// Label adds a label to all metrics of the registry. The value is anything that encoding/json can
// write in about 240 bytes, such as a string, a number, a bool or nil. [Registry.Err] reports
// errors.
func (r *Registry) Label(name string, value any) { r.label(Labeled(name, value)) }

// OptionalLabel is Label for a label that does not tell one value from another: readers may leave it
// out.
func (r *Registry) OptionalLabel(name string, value any) { r.label(Optional(name, value)) }

func (r *Registry) label(o Option) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var s settings
	err := o(&s)
	if !r.open() {
		err = ErrClosed
	}
	if err == nil {
		err = r.roomForLabels(1)
	}
	if err != nil {
		r.fail("%w", err)
		return
	}
	s.labels[0].Kind, s.labels[0].Ident = pcp.ClusterLabels, uint32(r.opts.Cluster)
	r.labels = append(r.labels, s.labels...)
	r.update()
}

func (r *Registry) layout() (*File, []value) {
	f := &File{Header: Header{Flags: r.opts.Flags, PID: int32(os.Getpid()), Cluster: r.opts.Cluster}, Labels: r.labels}
	for _, d := range r.domains {
		f.InDoms = append(f.InDoms, d.InDom)
	}
	var values []value
	for i, m := range r.metrics {
		f.Metrics = append(f.Metrics, m.Metric)
		for k, v := range m.values {
			inst := pcp.NullInst
			if m.domain != nil {
				inst = m.domain.Instances[k].ID
			}
			f.Values, values = append(f.Values, Value{Metric: i, Inst: inst}), append(values, v)
		}
	}
	f.Version = f.LowestVersion()
	return f, values
}

// publish writes a new file, moves the values there, and puts it in the place of the old one. The
// generation comes last: until then, and should this process end, no reader takes the file for one.
func (r *Registry) publish() error {
	if !r.open() {
		return ErrClosed
	}
	f, values := r.layout()
	temporary := r.temporary(strconv.Itoa(os.Getpid()))
	m, err := newMapping(temporary, f.Encode())
	if err != nil {
		return err
	}
	slots := make([]slot, len(values))
	for i, v := range values {
		slots[i] = m.slot(f.Values[i].at)
		v.move(&slots[i])
	}
	runtime.Gosched() // to updates that came too late
	now := time.Now()
	r.last = max(r.last+1, uint64(now.Unix())<<32|uint64(now.Nanosecond()/1000))
	m.generation(r.last)
	if err := replace(temporary, r.path()); err != nil {
		_ = safefile.RemoveFile(temporary)
		return err
	}
	if old := r.file; old != nil {
		// Readers that have replaced files in memory look for the generation 0, or for the time at which
		// the directory changed; but changes within a tick of the system's clock have the same time.
		time.AfterFunc(retirement, func() { old.generation(0) })
	}
	r.file = m
	return nil
}

// retirement is how long a replaced file looks unchanged to readers that have found it already.
const retirement = 50 * time.Millisecond

// Close ends the registry. Its file stays, with the last values, unless the flag [Process] is set.
// Updates change numbers that no file has then.
func (r *Registry) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open() {
		return nil
	}
	r.closed = true
	for _, m := range r.metrics {
		for _, v := range m.values {
			v.move(newSlot())
		}
	}
	r.file = nil
	if r.opts.Flags&Process == 0 || !r.owns() {
		return nil
	}
	return remove(r.path())
}

func (r *Registry) owns() bool {
	h, err := readHeader(r.path())
	return err == nil && h.PID == int32(os.Getpid()) && h.Generation == r.last
}
