// Package proc collects metrics of processes.
package proc

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Domain is the domain of the metrics, unless the options have another, and processSerial the number of the domain of its processes.
const (
	Domain        = 3
	processSerial = 9
)

//go:embed metrics.txt
var metricsText string

// Options configure the collector: its domain, and the root of the files.
type Options = procfs.Options

type collector struct {
	procfs.Catalog
	threads  bool           // threads are instances too
	open     bool           // everyone may see everything
	pids     []int32        // identifiers in ascending order
	selected []int32        // processes of the request, among pids
	client   *pmda.Client   // nil if it may see everything
	mine     map[int32]bool // processes whose private files the client may see
	names    map[int32]instanceName
	lines    texts         // command lines
	stats    texts         // the files stat
	fetched  bool          // the last request was for values
	fds      map[int32]int // numbers of open files, -1 for those that are hidden
	mounts   []cgroupMount
	devices  map[string]string // names of block devices by their numbers, as 8:0
	serial   uint32            // serial number of the instance domain of processes
	// selections are the settings of clients that do not see all processes.
	selections map[*pmda.Client]selection
	hot        *hotList
	lifetime   uint64     // seconds for which processes are shown that have ended
	hotter     *collector // collector of the processes in hot; nil in that collector
}

type instanceName struct {
	word string // the name of the process
	name string // name of the process after its number
}

// New returns the collector of metrics of processes, as the reference's agent "proc". It
// heeds the variables PROC_STATSPATH, the directory of a recorded proc, PROC_HERTZ and
// PROC_PAGESIZE, PROC_THREADS, which if it is not 0 makes each thread an instance, and PROC_ACCESS,
// which shows everything to everyone.
//
// Without a client it shows all that the program may read. A client without the attribute UserID
// sees only the numbers of processes; unless it is the superuser's, it sees only the public metrics
// of other users' processes.
func New(o *Options) *pmda.Agent {
	return newCollector(o).agent()
}

// Roots returns the first components of the names of the metrics.
func Roots() []string { return procfs.Roots(metricsText) }

func newCollector(o *Options) *collector {
	p := &collector{
		Catalog: procfs.NewCatalog("PROC", Domain, o), names: map[int32]instanceName{}, fds: map[int32]int{}, mine: map[int32]bool{},
		serial: processSerial, lifetime: 60, selections: map[*pmda.Client]selection{},
	}
	threads, _ := p.Setting("THREADS")
	access, _ := p.Setting("ACCESS")
	p.threads, p.open = threads != 0, access != 0
	p.addAll()
	p.addControl()
	p.addCgroups()
	p.addHot(o)
	p.addAcct()
	return p
}

func (p *collector) addAll() {
	p.addProcesses()
	p.perProcess("stat", "stat", false, parseStat)
	p.Fill("runq", "/proc/PID/stat of all processes", p.readQueues, p.Tables["all"])
	p.addStatus()
	p.addSmallFiles()
	p.addGraphics()
}

func (p *collector) agent() *pmda.Agent {
	metrics := append(p.MustMetrics(metricsText), p.hotter.MustMetrics(hotText())...)
	stores := p.stores()
	for i := range metrics {
		metrics[i].Store = stores[metrics[i].Name]
	}
	return procfs.NewAgent(&p.Catalog, metrics, `{"agent":"proc"}`)
}

func (p *collector) addProcesses() {
	all := p.Table("all", "/proc", func(_ *procfs.Table, req *pmda.Request) error { return p.readPIDs(req) })
	p.Fill("nprocs", "the list of processes in /proc", func(t *procfs.Table) {
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(len(p.pids)))
	}, all)
	p.Table("selected", "/proc", func(_ *procfs.Table, req *pmda.Request) error { return p.choose(req) }, all)
	p.each("pids", "/proc", func(t *procfs.Table, pid int32) { t.Cell(t.Row(pid), []byte("pid")).SetUint(uint64(pid)) })
	p.each("cmdline", "/proc/PID/cmdline", func(t *procfs.Table, pid int32) {
		t.Cell(t.Row(pid), []byte("args")).SetText(p.args(pid))
	})
	p.Fill("processes", "/proc", p.readNames, all)
}

// readPIDs finds the processes. A request for the names of instances just after their values has the
// command lines that were read for these.
func (p *collector) readPIDs(req *pmda.Request) error {
	if len(req.IDs) > 0 || !p.fetched || time.Since(p.lines.when) > time.Second {
		clear(p.lines.known)
	}
	p.fetched = len(req.IDs) > 0
	clear(p.stats.known)
	clear(p.fds)
	if p.hot != nil && p.hotter == nil {
		p.pids = p.hot.pids(p.pids)
		slices.Sort(p.pids)
		return nil
	}
	own := p.selectionOf(req.Client)
	p.pids = p.pids[:0]
	names, err := p.Root.Names("proc")
	if err != nil {
		return procfs.Missing(err)
	}
	p.addPIDs(names)
	if own.threads {
		for _, pid := range slices.Clone(p.pids) {
			names, _ := p.Root.Names(fileOf(pid, "task")) // a process that is gone has none
			p.addPIDs(names)
		}
	}
	slices.Sort(p.pids)
	p.pids = slices.Compact(p.pids)
	p.restrict(own.cgroup)
	return nil
}

func (p *collector) addPIDs(names []string) {
	for _, name := range names {
		if pid, err := strconv.ParseUint(name, 10, 31); err == nil && name[0] != '0' && name[0] != '+' {
			p.pids = append(p.pids, int32(pid))
		}
	}
}

// choose finds the processes of the request, and whether the client may ask for processes at all.
func (p *collector) choose(req *pmda.Request) error {
	p.selected, p.client = p.selected[:0], req.Client
	clear(p.mine)
	if p.open {
		p.client = nil
	}
	if p.client != nil && p.client.Attrs[pmda.UserID] == "" {
		return pmerr.Permission
	}
	indom := pcp.NewInDom(p.Domain, p.serial)
	for _, pid := range p.pids {
		if req.Profile.All() || req.Profile.Selects(indom, pid) {
			p.selected = append(p.selected, pid)
		}
	}
	return nil
}

// mayRead reports whether the client may see the files that the kernel shows only to the owner of a
// process. The kernel refuses files that the program itself may not read.
func (p *collector) mayRead(pid int32) bool {
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

// isOwner reports whether the client owns a process, or sees all that the program sees.
func (p *collector) isOwner(pid int32) bool {
	uid, err := strconv.Atoi(p.client.Attrs[pmda.UserID])
	if err != nil {
		return false
	}
	if uid == 0 || uid == os.Geteuid() {
		return true
	}
	text, err := p.read(pid, "status")
	if err != nil {
		return false
	}
	for line := range procfs.Lines(text) {
		if key, ids := procfs.Word(line); string(key) == "Uid:" {
			owner, _ := procfs.Word(ids)
			n, ok := procfs.Uint(owner)
			return ok && n == uint64(uid)
		}
	}
	return false
}

func fileOf(pid int32, file string) string {
	return "proc/" + strconv.Itoa(int(pid)) + "/" + file
}

// read returns the content of a file of a process, or if threads count of the thread that has the
// number of the process.
func (p *collector) read(pid int32, file string) ([]byte, error) {
	if file == "stat" {
		return p.stats.of(pid, func() ([]byte, error) { return p.readFile(pid, file) })
	}
	return p.readFile(pid, file)
}

func (p *collector) readFile(pid int32, file string) ([]byte, error) {
	if p.threads {
		if text, err := p.Root.Read(fileOf(pid, fmt.Sprintf("task/%d/%s", pid, file))); err == nil {
			return text, nil
		}
	}
	return p.Root.Read(fileOf(pid, file))
}

const mayBeEmpty = "autogroup" // the file of processes whose emptiness is a value

// perProcess adds a table for a file that each process has, unless it is empty; own is set for
// files that only the owner of the process may read.
func (p *collector) perProcess(name, file string, own bool, set func(t *procfs.Table, r *procfs.Row, text []byte)) {
	unknown := false // to the kernel, for all processes: without a security module attr/current is
	empty := 0       // how many files are
	p.each(name, "/proc/PID/"+file, func(t *procfs.Table, pid int32) {
		if pid == p.selected[0] {
			unknown, empty = false, 0
		}
		if unknown || own && !p.mayRead(pid) {
			t.Tried--
			return
		}
		switch text, err := p.read(pid, file); {
		case err == nil && (len(text) > 0 || file == mayBeEmpty):
			set(t, t.Row(pid), text)
		case err == nil:
			if empty++; empty == len(p.selected) {
				t.Refused = pmerr.Value
			}
		case !errors.Is(err, fs.ErrNotExist):
			t.Tried--
			if unknown = errors.Is(err, syscall.EINVAL); errors.Is(err, syscall.EPERM) { // /proc is mounted with hidepid=1
				t.Refused = err
			}
		}
	})
}

func (p *collector) each(name, file string, fill func(t *procfs.Table, pid int32)) {
	p.Fill(name, file, func(t *procfs.Table) {
		t.Tried = len(p.selected)
		for _, pid := range p.selected {
			fill(t, pid)
		}
	}, p.Tables["selected"])
}

// readNames reads the names of the processes. An unchanged name keeps its memory.
func (p *collector) readNames(t *procfs.Table) {
	seen := make(map[int32]instanceName, len(p.pids))
	for _, pid := range p.pids {
		word, _, _ := bytes.Cut(p.args(pid), []byte{' '}) // the command line up to a blank
		n := p.names[pid]
		if n.name == "" || n.word != string(word) {
			n = instanceName{word: string(word), name: fmt.Sprintf("%06d %s", pid, word)}
		}
		seen[pid] = n
		t.Row(pid).Name = n.name
	}
	p.names = seen
}
