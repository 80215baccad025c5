package host

import (
	_ "embed"
	"fmt"
	"runtime"

	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/process"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

//go:embed processes.txt
var processesText string

const processSerial = 9 // serial number of the instance domain of processes

// NewProcesses returns the collector of processes, in a domain; 0 means ProcessesDomain. For
// processes of other users it shows the metrics that the system permits.
func NewProcesses(domain uint32) *pmda.Agent {
	c := &collector{procfs.NewCatalog("PROC", ProcessesDomain, &procfs.Options{Domain: domain})}
	var all, chosen []*process.Process
	pids := c.Table("pids", "the list of processes", func(*procfs.Table, *pmda.Request) (err error) {
		all, err = process.Processes()
		return unsupported(err)
	})
	c.Fill("nprocs", "the list of processes", func(t *procfs.Table) {
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(len(all)))
	}, pids)
	c.Fill("processes", "the list of processes", func(t *procfs.Table) {
		for _, p := range all {
			if name, err := p.Name(); err == nil {
				r := t.Row(p.Pid)
				r.Name = fmt.Sprintf("%06d %s", p.Pid, name)
				t.Cell(r, []byte("pid")).SetUint(uint64(p.Pid))
			}
		}
	}, pids)
	selected := c.Table("selected", "the list of processes", func(_ *procfs.Table, req *pmda.Request) error {
		chosen = chosen[:0]
		d := pcp.NewInDom(c.Domain, processSerial)
		for _, p := range all {
			if req.Profile.All() || req.Profile.Selects(d, p.Pid) {
				chosen = append(chosen, p)
			}
		}
		return nil
	}, pids)
	for name, ask := range questions() {
		c.Fill(name, "the process", func(t *procfs.Table) {
			for _, p := range chosen {
				if (name == "threads" || name == "times" || name == "memory") && refused(p) {
					continue
				}
				if v, unit, err := ask(p); err == nil { // an error means a process that is gone, or belongs to another user
					c.answer(t, p.Pid, name, v, unit)
				}
			}
		}, selected)
	}
	return procfs.NewAgent(&c.Catalog, c.MustMetrics(processesText), `{"agent":"proc"}`)
}

// refused reports whether macOS refuses answers about a process, as it belongs to another user:
// gopsutil leaves zeros then, also in the number of threads.
func refused(p *process.Process) bool {
	n, err := p.NumThreads()
	return runtime.GOOS == "darwin" && (err != nil || n == 0)
}

func (c *collector) answer(t *procfs.Table, pid int32, table string, v any, unit float64) {
	r := t.Row(pid)
	switch v := v.(type) {
	case string:
		t.Field(r, 1).SetString(v)
	case uint64:
		t.Field(r, 1).SetUint(v)
	case int32:
		t.Field(r, 1).SetUint(uint64(v))
	default:
		c.set(t, r, table, v, unit)
	}
}

// A question asks about a process. Floats are multiplied by the unit.
type question func(p *process.Process) (v any, unit float64, err error)

func newQuestion[T any](ask func(*process.Process) (T, error), unit float64) question {
	return func(p *process.Process) (any, float64, error) {
		v, err := ask(p)
		return v, unit, err
	}
}

func questions() map[string]question {
	return map[string]question{
		"name":    newQuestion((*process.Process).Name, 0),
		"cmdline": newQuestion((*process.Process).Cmdline, 0),
		"exe":     newQuestion((*process.Process).Exe, 0),
		"cwd":     newQuestion((*process.Process).Cwd, 0),
		"user":    newQuestion((*process.Process).Username, 0),
		"ppid":    newQuestion((*process.Process).Ppid, 0),
		"threads": newQuestion((*process.Process).NumThreads, 0),
		"times":   newQuestion((*process.Process).Times, 1000),
		"memory":  newQuestion((*process.Process).MemoryInfo, 0),
		"io":      newQuestion((*process.Process).IOCounters, 0),
		"ids": newQuestion(func(p *process.Process) (uint64, error) {
			v, err := p.Uids()
			if err != nil || len(v) == 0 {
				return 0, pmda.NoValue
			}
			return uint64(v[0]), nil
		}, 0),
		"created": newQuestion(func(p *process.Process) (uint64, error) {
			at, err := p.CreateTime()
			boot, err2 := host.BootTime()
			if err != nil || err2 != nil {
				return 0, pmda.NoValue
			}
			return uint64(max(0, at-int64(boot)*1000)), nil
		}, 0),
	}
}
