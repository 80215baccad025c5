// Package linux collects the Linux kernel's metrics: processors, memory, disks, file systems,
// networks.
package linux

import (
	_ "embed"
	"errors"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

// Domain is the domain of the metrics, unless the options have another.
const Domain = 60

// Options configure the collector: its domain, and the root of the files.
type Options = procfs.Options

//go:embed metrics.txt
var metricsText string

type collector struct {
	procfs.Catalog

	cpus, nodes, disks, netdev *procfs.Table
	devices                    map[string]int32       // numbers of the instances of all kinds of block devices
	asked                      map[string]chan answer // file systems that have not answered, by their directories

	// System calls. They are not used if the root is another directory.
	statfs    func(path string, fs *filesystem) error
	uname     func() uname
	addresses func(name string) string
}

// New returns the collector of the Linux kernel's metrics, as the reference's agent "linux":
// processors, memory, disks, file systems, networks. Everything is read from proc and sys. On other
// systems than Linux the metrics have no values. It heeds the variables LINUX_STATSPATH, the
// directory of a recorded proc and sys, and LINUX_HERTZ, LINUX_PAGESIZE, LINUX_NCPUS, LINUX_NNODES.
func New(o *Options) *pmda.Agent {
	return newCollector(o).agent()
}

// Roots returns the first components of the names of the metrics.
func Roots() []string { return procfs.Roots(metricsText) }

func newCollector(o *Options) *collector {
	l := &collector{
		Catalog:   procfs.NewCatalog("LINUX", Domain, o),
		statfs:    statfs,
		uname:     systemName,
		addresses: firstAddress,
		devices:   map[string]int32{},
		asked:     map[string]chan answer{},
	}
	if !l.System.Live() {
		l.statfs = func(string, *filesystem) error { return errors.ErrUnsupported }
		l.uname = l.recordedName
		l.addresses = func(string) string { return "" }
	}
	for _, k := range keptKinds {
		l.Keep(k.kind, k.serial)
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
	l.addNFSClients()
	l.addDevices()
	return l
}

// keptKinds are the kinds of instances whose numbers the reference's agent keeps when it ends.
var keptKinds = [...]struct {
	kind   string
	serial int
}{
	{"disk", 1}, {"interfaces", 3}, {"interrupts", 4}, {"filesys", 5}, {"partition", 10}, {"scsi", 11}, {"slabs", 12}, {"addresses", 17},
	{"dm", 24}, {"md", 25}, {"shm", 28}, {"msg", 29}, {"sem", 30}, {"zones", 32}, {"softirqs", 36},
	{"zram", 38}, {"cpuinterrupts", 40}, {"cpusoftirqs", 41}, {"paths", 42}, {"hugepages", 43}, {"nodehugepages", 44},
}

func (l *collector) agent() *pmda.Agent {
	return procfs.NewAgent(&l.Catalog, l.MustMetrics(metricsText), `{"agent":"linux"}`)
}
