package builtin

import (
	_ "embed"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// linuxDomain is the domain of the linux collector.
const linuxDomain = 60

// linuxHertz is how many ticks a second has, in which the kernel tells times. It is
// fixed for what it tells to programs.
const linuxHertz = 100

//go:embed linux_metrics.txt
var linuxMetrics string

// A linuxCollector reads what the metrics of the linux collector need.
type linuxCollector struct {
	root *procfsRoot
	procfsCatalog

	cpus, nodes, disks, netdev *procfsTable
	ids                        map[string]*procfsIDs // by kind of instances
	devices                    map[string]int32      // the instances of block devices, of whatever kind

	// What is asked of the kernel itself.
	statfs    func(path string, fs *linuxFilesystem) error
	uname     func() linuxUname
	addresses func(name string) string
}

// Linux returns the collector of the Linux kernel's metrics, those of the
// reference's agent "linux": processors, memory, disks, file systems, networks. Everything
// is read from proc and sys below root, "/" for the running system. On other systems
// than Linux the metrics have no values.
func Linux(root string) pmda.Provider {
	return newLinuxCollector(root).agent()
}

// newLinuxCollector returns the collector for a directory, without its metrics.
func newLinuxCollector(root string) *linuxCollector {
	l := &linuxCollector{
		root:      &procfsRoot{dir: root},
		statfs:    linuxStatfs,
		uname:     linuxSystemName,
		addresses: linuxAddress,
		ids:       map[string]*procfsIDs{},
		devices:   map[string]int32{},
	}
	l.procfsCatalog = procfsCatalog{
		tables: map[string]*procfsTable{}, files: map[string]string{}, indoms: map[string]*pmda.InDom{},
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
func (l *linuxCollector) agent() *pmda.Agent {
	l.addLabels()
	return newProcfsAgent(linuxDomain, &l.procfsCatalog, linuxMetrics, `{"agent":"linux"}`)
}

// newProcfsAgent returns the agent of a list of metrics. The list is part of the
// program, so that an error in it is the program's.
func newProcfsAgent(domain uint32, c *procfsCatalog, text, labels string) *pmda.Agent {
	metrics, err := c.metrics(text)
	if err != nil {
		panic(err)
	}
	linuxCPULabels(metrics)
	agent, err := pmda.New(pmda.Table{Domain: domain, Metrics: metrics, Labels: labels})
	if err != nil {
		panic(err)
	}
	return agent
}

// table adds a table that load fills from what file names.
func (c *procfsCatalog) table(name, file string, load func(t *procfsTable, req *pmda.Request) error, needs ...*procfsTable) *procfsTable {
	t := newProcfsTable(load, needs...)
	c.tables[name], c.files[name] = t, file
	return t
}

// alias adds a table that is filled together with another.
func (c *procfsCatalog) alias(name, file string, t *procfsTable) *procfsTable {
	b := t.beside()
	c.tables[name], c.files[name] = b, file
	return b
}

// file adds a table for a file that is about the whole system. Without the file
// there are no values.
func (l *linuxCollector) file(name, file string, parse func(t *procfsTable, r *procfsRow, text []byte)) *procfsTable {
	return l.table(name, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read(file)
		if err != nil {
			return procfsMissing(err)
		}
		parse(t, t.row(pcp.NullInst), text)
		return nil
	})
}

// numbers adds a table for a file with nothing but a line of numbers.
func (l *linuxCollector) numbers(name, file string) {
	l.file(name, file, func(t *procfsTable, r *procfsRow, text []byte) {
		line, _ := procfsLine(text)
		t.setFields(r, 1, line)
	})
}

// count adds a table whose key n is how many rows another has.
func (l *linuxCollector) count(name, what string, of *procfsTable) {
	l.table(name, "the list of "+what, func(t *procfsTable, _ *pmda.Request) error {
		r := t.row(pcp.NullInst)
		t.cell(r, []byte("n")).setUint(uint64(len(of.rows)))
		return nil
	}, of)
}

// perRow adds a table for a small file that each instance of another table has. set
// is given the row and the text of its file.
func (l *linuxCollector) perRow(name, file string, of *procfsTable, path func(instance string) string, set func(t *procfsTable, r *procfsRow, text []byte)) *procfsTable {
	return l.table(name, file, func(t *procfsTable, _ *pmda.Request) error {
		for i := range of.rows {
			if text, err := l.root.read(path(of.rows[i].name)); err == nil {
				set(t, t.row(of.rows[i].inst), text)
			}
		}
		return nil
	}, of)
}

// numbering returns what numbers the instances of a kind.
func (l *linuxCollector) numbering(kind string) *procfsIDs {
	if l.ids[kind] == nil {
		l.ids[kind] = &procfsIDs{}
	}
	return l.ids[kind]
}

// fixed returns an instance domain with always the same instances.
func (l *linuxCollector) fixed(serial uint32, oneline string, list ...pcp.Instance) *pmda.InDom {
	return &pmda.InDom{Serial: serial, Instances: list, OneLine: oneline}
}
