package builtin

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// procDomain is the domain of the proc collector, procInDom its processes.
const (
	procDomain = 3
	procSerial = 9
)

//go:embed proc_metrics.txt
var procMetrics string

// A procCollector reads what the metrics of the proc collector need.
type procCollector struct {
	root *procfsRoot
	procfsCatalog

	pids     []int32 // in ascending order
	selected []int32 // those of them that the request is for
	client   *pmda.Client
	mine     map[int32]bool // whether the client may see what is for the owner of a process only
	names    map[int32]procName
	list     []pcp.Instance
}

// A procName is the name of an instance.
type procName struct {
	word string // what the process is called
	name string // with its number
}

// Proc returns the collector of metrics of processes, those of the reference's agent
// "proc", read from proc below root, "/" for the running system.
//
// Without a client it tells all that the program may see. A client must have the
// attribute UserID to see other metrics than the numbers of processes, and sees of
// processes of other users only what everyone may see, unless it is the superuser's.
func Proc(root string) pmda.Provider {
	return newProcCollector(root).agent()
}

// newProcCollector returns the collector for a directory, without its metrics.
func newProcCollector(root string) *procCollector {
	p := &procCollector{root: &procfsRoot{dir: root}, names: map[int32]procName{}, mine: map[int32]bool{}}
	p.procfsCatalog = procfsCatalog{
		tables: map[string]*procfsTable{}, files: map[string]string{}, indoms: map[string]*pmda.InDom{},
	}
	p.addProcesses()
	p.addStat()
	p.addStatus()
	p.addSmallFiles()
	return p
}

// agent returns the agent with the collector's metrics.
func (p *procCollector) agent() *pmda.Agent {
	return newProcfsAgent(procDomain, &p.procfsCatalog, procMetrics, `{"agent":"proc"}`)
}

// addProcesses adds the list of processes.
func (p *procCollector) addProcesses() {
	all := p.table("all", "/proc", func(*procfsTable, *pmda.Request) error { return p.readPIDs() })
	p.table("nprocs", "the list of processes in /proc", func(t *procfsTable, _ *pmda.Request) error {
		t.cell(t.row(pcp.NullInst), []byte("n")).setUint(uint64(len(p.pids)))
		return nil
	}, all)
	p.table("selected", "/proc", func(_ *procfsTable, req *pmda.Request) error { return p.choose(req) }, all)
	p.table("pids", "/proc", func(t *procfsTable, _ *pmda.Request) error {
		for _, pid := range p.selected {
			r := t.row(pid)
			t.cell(r, []byte("pid")).setUint(uint64(pid))
		}
		return nil
	}, p.tables["selected"])
	p.table("cmdline", "/proc/PID/cmdline", p.readCommands, p.tables["selected"])
	p.indoms["9"] = &pmda.InDom{
		Serial: procSerial, Needs: all.reading, List: p.instances,
		InstLabels: func(pid int32) string { return fmt.Sprintf(`{"pid":%d}`, pid) },
		OneLine:    "Processes",
		Help:       "Processes\nThe number of an instance is that of the process, its name has the number\nin six digits and what the process is called.",
	}
}

// readPIDs finds the processes.
func (p *procCollector) readPIDs() error {
	p.pids = p.pids[:0]
	names, err := p.root.names("proc")
	if err != nil {
		return procfsMissing(err)
	}
	for _, name := range names {
		if pid, err := strconv.ParseUint(name, 10, 31); err == nil && name[0] != '0' && name[0] != '+' {
			p.pids = append(p.pids, int32(pid))
		}
	}
	slices.Sort(p.pids)
	return nil
}

// choose finds out which processes the request is for, and whether the client may
// ask for processes at all.
func (p *procCollector) choose(req *pmda.Request) error {
	p.selected, p.client = p.selected[:0], req.Client
	clear(p.mine)
	if req.Client != nil && req.Client.Attrs[pmda.UserID] == "" {
		return pmerr.Permission
	}
	indom := pcp.NewInDom(procDomain, procSerial)
	for _, pid := range p.pids {
		if req.Profile.All() || req.Profile.Selects(indom, pid) {
			p.selected = append(p.selected, pid)
		}
	}
	return nil
}

// mayRead reports whether the client may see what the kernel shows only to the owner
// of a process. Where the program itself may not, the kernel refuses.
func (p *procCollector) mayRead(pid int32) bool {
	if p.client == nil {
		return true
	}
	may, ok := p.mine[pid]
	if !ok {
		may = p.isOwner(pid)
		p.mine[pid] = may
	}
	return may
}

// isOwner reports whether a process is the client's, or the client sees all that the
// program sees.
func (p *procCollector) isOwner(pid int32) bool {
	uid, err := strconv.Atoi(p.client.Attrs[pmda.UserID])
	if err != nil {
		return false
	}
	if uid == 0 || uid == os.Geteuid() {
		return true
	}
	text, err := p.root.read(procFile(pid, "status"))
	if err != nil {
		return false
	}
	for len(text) > 0 {
		line, rest := procfsLine(text)
		if key, ids := procfsWord(line); string(key) == "Uid:" {
			owner, _ := procfsWord(ids)
			n, ok := procfsUint(owner)
			return ok && n == uint64(uid)
		}
		text = rest
	}
	return false
}

// procFile returns the name of a file of a process.
func procFile(pid int32, file string) string {
	return fmt.Sprintf("proc/%d/%s", pid, file)
}

// procMayBeEmpty is the file of processes that says something if it is empty.
const procMayBeEmpty = "autogroup"

// perProcess adds a table for a file that each process has, unless it is empty; own is set for files
// that only the owner of the process may read.
func (p *procCollector) perProcess(name, file string, own bool, set func(t *procfsTable, r *procfsRow, text []byte)) {
	p.table(name, "/proc/PID/"+file, func(t *procfsTable, _ *pmda.Request) error {
		for _, pid := range p.selected {
			if own && !p.mayRead(pid) {
				continue
			}
			if text, err := p.root.read(procFile(pid, file)); err == nil && (len(text) > 0 || file == procMayBeEmpty) {
				set(t, t.row(pid), text)
			}
		}
		return nil
	}, p.tables["selected"])
}

// instances returns the processes as instances. The names of those that are known
// and still called the same are kept.
func (p *procCollector) instances() ([]pcp.Instance, error) {
	p.list = p.list[:0]
	seen := make(map[int32]procName, len(p.pids))
	for _, pid := range p.pids {
		word, ok := p.command(pid)
		if !ok {
			continue
		}
		n := p.names[pid]
		if n.name == "" || n.word != string(word) {
			n = procName{word: string(word), name: fmt.Sprintf("%06d %s", pid, word)}
		}
		seen[pid] = n
		p.list = append(p.list, pcp.Instance{ID: pid, Name: n.name})
	}
	p.names = seen
	return p.list, nil
}
