// Package linux collects the Linux kernel's metrics: processors, memory, disks, file systems,
// networks.
package linux

import (
	_ "embed"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Domain is the domain of the linux collector.
const Domain = 60

// hertz is the number of ticks per second in which the kernel reports times. It is fixed in its
// interface to programs.
const hertz = 100

//go:embed metrics.txt
var metricsText string

// A collector reads what the metrics of the linux collector need.
type collector struct {
	procfs.Catalog

	cpus, nodes, disks, netdev *procfs.Table
	ids                        map[string]*procfs.IDs // by kind of instances
	devices                    map[string]int32       // the instances of block devices, of whatever kind

	// Questions to the kernel itself, replaced by tests.
	statfs    func(path string, fs *filesystem) error
	uname     func() uname
	addresses func(name string) string
}

// New returns the collector of the Linux kernel's metrics, those of the reference's agent "linux":
// processors, memory, disks, file systems, networks. Everything is read from proc and sys below
// root, "/" for the running system. On other systems than Linux the metrics have no values.
func New(root string) *pmda.Agent {
	return newCollector(root).agent()
}

// Roots returns the first components of the names of the metrics.
func Roots() []string { return procfs.Roots(metricsText) }

// newCollector returns the collector for a directory, without its metrics.
func newCollector(root string) *collector {
	l := &collector{
		Catalog:   procfs.NewCatalog(root),
		statfs:    statfs,
		uname:     systemName,
		addresses: firstAddress,
		ids:       map[string]*procfs.IDs{},
		devices:   map[string]int32{},
	}
	l.Label = l.label
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
	return procfs.NewAgent(Domain, &l.Catalog, metricsText, `{"agent":"linux"}`)
}

// count adds a table whose key n is how many rows another has.
func (l *collector) count(name, what string, of *procfs.Table) {
	l.Table(name, "the list of "+what, func(t *procfs.Table, _ *pmda.Request) error {
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(len(of.Rows)))
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
