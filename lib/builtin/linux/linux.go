// Package linux collects the Linux kernel's metrics: processors, memory, disks, file
// systems, networks.
package linux

import (
	_ "embed"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Domain is the domain of the linux collector.
const Domain = 60

// hertz is how many ticks a second has, in which the kernel tells times. It is
// fixed for what it tells to programs.
const hertz = 100

//go:embed metrics.txt
var metricsText string

// A collector reads what the metrics of the linux collector need.
type collector struct {
	root *procfs.Root
	procfs.Catalog

	cpus, nodes, disks, netdev *procfs.Table
	ids                        map[string]*procfs.IDs // by kind of instances
	devices                    map[string]int32       // the instances of block devices, of whatever kind

	// What is asked of the kernel itself.
	statfs    func(path string, fs *filesystem) error
	uname     func() uname
	addresses func(name string) string
}

// Linux returns the collector of the Linux kernel's metrics, those of the
// reference's agent "linux": processors, memory, disks, file systems, networks. Everything
// is read from proc and sys below root, "/" for the running system. On other systems
// than Linux the metrics have no values.
func New(root string) *pmda.Agent {
	return newCollector(root).agent()
}

// Roots returns the first components of the names of the metrics.
func Roots() []string { return procfs.Roots(metricsText) }

// newCollector returns the collector for a directory, without its metrics.
func newCollector(root string) *collector {
	l := &collector{
		root:      &procfs.Root{Dir: root},
		statfs:    statfs,
		uname:     systemName,
		addresses: firstAddress,
		ids:       map[string]*procfs.IDs{},
		devices:   map[string]int32{},
	}
	l.Catalog = procfs.Catalog{
		Tables: map[string]*procfs.Table{}, Files: map[string]string{}, InDoms: map[string]*pmda.InDom{},
	}
	l.addSystem()
	l.addCPU()
	l.addCPUFiles()
	l.addMemory()
	l.addNUMA()
	l.addDisks()
	l.addFilesystems()
	l.addNetwork()
	l.addInterfaces()
	l.addSockets()
	l.addInterrupts()
	l.addIPC()
	l.addNFS()
	return l
}

// agent returns the agent with the collector's metrics.
func (l *collector) agent() *pmda.Agent {
	l.addLabels()
	return procfs.NewAgent(Domain, &l.Catalog, metricsText, `{"agent":"linux"}`, labelCPUs)
}

// file adds a table for a file that is about the whole system. Without the file
// there are no values.
func (l *collector) file(name, file string, parse func(t *procfs.Table, r *procfs.Row, text []byte)) *procfs.Table {
	return l.Table(name, "/"+file, func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.root.Read(file)
		if err != nil {
			return procfs.Missing(err)
		}
		parse(t, t.Row(pcp.NullInst), text)
		return nil
	})
}

// numbers adds a table for a file with nothing but a line of numbers.
func (l *collector) numbers(name, file string) {
	l.file(name, file, func(t *procfs.Table, r *procfs.Row, text []byte) {
		line, _ := procfs.Line(text)
		t.SetFields(r, 1, line)
	})
}

// count adds a table whose key n is how many rows another has.
func (l *collector) count(name, what string, of *procfs.Table) {
	l.Table(name, "the list of "+what, func(t *procfs.Table, _ *pmda.Request) error {
		r := t.Row(pcp.NullInst)
		t.Cell(r, []byte("n")).SetUint(uint64(len(of.Rows)))
		return nil
	}, of)
}

// perRow adds a table for a small file that each instance of another table has. set
// is given the row and the text of its file.
func (l *collector) perRow(name, file string, of *procfs.Table, path func(instance string) string, set func(t *procfs.Table, r *procfs.Row, text []byte)) *procfs.Table {
	return l.Table(name, file, func(t *procfs.Table, _ *pmda.Request) error {
		for i := range of.Rows {
			if text, err := l.root.Read(path(of.Rows[i].Name)); err == nil {
				set(t, t.Row(of.Rows[i].Inst), text)
			}
		}
		return nil
	}, of)
}

// numbering returns what numbers the instances of a kind.
func (l *collector) numbering(kind string) *procfs.IDs {
	if l.ids[kind] == nil {
		l.ids[kind] = &procfs.IDs{}
	}
	return l.ids[kind]
}

// fixed returns an instance domain with always the same instances.
func (l *collector) fixed(serial uint32, oneline string, list ...pcp.Instance) *pmda.InDom {
	return &pmda.InDom{Serial: serial, Instances: list, OneLine: oneline}
}
