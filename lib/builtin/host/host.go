// Package host collects metrics of systems other than Linux, under the names that Linux's metrics
// have: processors, memory, disks, file systems, networks, processes. Commands are built with it
// where there is nothing better.
package host

import (
	_ "embed"
	"maps"
	"math"
	"net"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
	psnet "github.com/shirou/gopsutil/v4/net"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// The domains of New and NewProcesses: the agents of Linux have the same.
const (
	Domain          = 60
	ProcessesDomain = 3
)

//go:embed metrics.txt
var metricsText string

// Roots returns the first components of the names of New.
func Roots() []string { return procfs.Roots(metricsText) }

// filled are the fields of gopsutil's structures that a system fills; the other fields would be
// invented zeros. A table without an entry has all fields.
var filled = map[string]string{
	"windows/cpu": "User System Idle", "windows/percpu": "User System Idle", "windows/mem": "Total Available Free", "windows/load": "",
	"windows/disk": "ReadCount WriteCount ReadBytes WriteBytes", "windows/filesys": "Total Free Used UsedPercent Mountpoint Fstype",
	"darwin/cpu": "User System Nice Idle", "darwin/percpu": "User System Nice Idle", "darwin/mem": "Total Available Free Active Inactive",
	"darwin/io": "DiskReadBytes DiskWriteBytes", "darwin/net": "BytesSent BytesRecv PacketsSent PacketsRecv Errin Errout Dropout",
	"windows/times": "User System", "windows/memory": "RSS VMS", "windows/io": "ReadCount WriteCount ReadBytes WriteBytes",
}

type collector struct{ procfs.Catalog }

// New returns the collector of metrics of the system, in a domain; 0 means Domain.
func New(domain uint32) *pmda.Agent {
	c := &collector{procfs.NewCatalog("HOST", Domain, &procfs.Options{Domain: domain})}
	c.addSystem()
	c.addProcessors()
	c.addDevices()
	c.addInterfaces()
	return procfs.NewAgent(&c.Catalog, c.MustMetrics(metricsText), `{"agent":"host"}`)
}

// set fills a row from the fields of a structure that the system filled. It converts floats to
// integers in the given unit, unless that is 0. NaN and "" mean unknown.
func (c *collector) set(t *procfs.Table, r *procfs.Row, table string, from any, unit float64) {
	fields, some := filled[runtime.GOOS+"/"+table]
	v := reflect.Indirect(reflect.ValueOf(from))
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		cell := t.Cell(r, []byte(name))
		if cell == nil || some && !slices.Contains(strings.Fields(fields), name) {
			continue
		}
		switch {
		case f.CanFloat() && math.IsNaN(f.Float()):
		case f.CanFloat() && unit != 0:
			cell.SetUint(uint64(math.Round(max(0, f.Float()) * unit)))
		case f.CanFloat():
			cell.SetReal(f.Float())
		case f.CanInt():
			cell.SetUint(uint64(f.Int()))
		case f.CanUint():
			cell.SetUint(f.Uint())
		case f.Kind() == reflect.String && f.Len() > 0:
			cell.SetString(f.String())
		}
	}
}

func unsupported(err error) error {
	if err == nil {
		return nil
	}
	return pmerr.AppVersion
}

func (c *collector) one(name string, ask func() (any, error), unit float64) {
	c.Table(name, "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := ask()
		if err == nil {
			c.set(t, t.Row(pcp.NullInst), name, v, unit)
		}
		return unsupported(err)
	})
}

func (c *collector) addSystem() {
	c.Table("system", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		info, err := host.Info()
		if err != nil {
			return unsupported(err)
		}
		r := t.Row(pcp.NullInst)
		c.set(t, r, "system", info, 0)
		t.Cell(r, []byte("distro")).SetString(strings.TrimSpace(info.Platform + " " + info.PlatformVersion))
		t.Cell(r, []byte("pagesize")).SetUint(uint64(os.Getpagesize()))
		if info.OS != "" { // the spelling of uname: Darwin
			t.Cell(r, []byte("OS")).SetString(strings.ToUpper(info.OS[:1]) + info.OS[1:])
		}
		return nil
	})
	c.one("mem", func() (any, error) { return mem.VirtualMemory() }, 0)
	c.one("swap", func() (any, error) { return mem.SwapMemory() }, 0)
	c.Fixed["2"] = []pcp.Instance{{ID: 1, Name: "1 minute"}, {ID: 5, Name: "5 minute"}, {ID: 15, Name: "15 minute"}}
	c.Table("load", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		if _, none := filled[runtime.GOOS+"/load"]; none { // Windows: gopsutil needs time to compute a load, and means something else by it
			return nil
		}
		v, err := load.Avg()
		if err != nil {
			return unsupported(err)
		}
		for i, n := range [...]float64{v.Load1, v.Load5, v.Load15} {
			t.Cell(t.Row([...]int32{1, 5, 15}[i]), []byte("load")).SetReal(n)
		}
		return nil
	})
}

// slowest is the least clock of a processor, in MHz, that is a value. Lower ones are errors: gopsutil
// takes the clocks of Apple's M4 and M5, which are in kHz, for Hz.
const slowest = 100

// addProcessors adds the metrics of processors. gopsutil has seconds, the metrics milliseconds.
func (c *collector) addProcessors() {
	const unit = 1000
	c.one("cpu", func() (any, error) {
		v, err := cpu.Times(false)
		if err != nil || len(v) == 0 {
			return cpu.TimesStat{}, err
		}
		return v[0], nil
	}, unit)
	per := c.Table("percpu", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := cpu.Times(true)
		for i := range v {
			r := t.Row(int32(i))
			r.Name = v[i].CPU
			c.set(t, r, "percpu", &v[i], unit)
		}
		return unsupported(err)
	})
	c.Table("ncpu", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		n, err := cpu.Counts(true)
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(n))
		return unsupported(err)
	})
	c.Table("cpuinfo", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := cpu.Info()
		for i := range per.Rows { // some systems have one value for all processors
			if len(v) > 0 {
				r, info := t.Row(per.Rows[i].Inst), &v[min(i, len(v)-1)]
				c.set(t, r, "cpuinfo", info, 0)
				if info.Mhz < slowest {
					t.Cell(r, []byte("Mhz")).Kind = procfs.None
				}
			}
		}
		return unsupported(err)
	}, per)
}

func (c *collector) addDevices() {
	disks := c.Table("disk", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := disk.IOCounters()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			d := v[name]
			c.set(t, t.Named(c.Numbering("disks"), []byte(name)), "disk", &d, 0)
		}
		return unsupported(err)
	})
	c.Count("ndisk", "disks", disks)
	filesys := c.Table("filesys", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := disk.Partitions(false)
		for i := range v {
			u, err := disk.Usage(v[i].Mountpoint)
			if err != nil || u.Total == 0 {
				continue
			}
			r := t.Named(c.Numbering("filesys"), []byte(v[i].Device))
			c.set(t, r, "filesys", &v[i], 0)
			c.set(t, r, "filesys", u, 0)
		}
		return unsupported(err)
	})
	c.Count("nfilesys", "file systems", filesys)
}

func (c *collector) addInterfaces() {
	list := c.Table("net", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := psnet.IOCounters(true)
		for i := range v {
			r := t.Named(c.Numbering("interfaces"), []byte(v[i].Name))
			c.set(t, r, "net", &v[i], 0)
			if dev, err := net.InterfaceByName(v[i].Name); err == nil && dev.Flags&net.FlagLoopback == 0 {
				others := c.Tables["netall"]
				c.set(others, others.Row(r.Inst), "net", &v[i], 0)
			}
		}
		return unsupported(err)
	})
	c.Alias("netall", "net")
	c.Count("ninterface", "network interfaces", list)
	c.Table("address", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		v, err := net.Interfaces()
		for i := range v {
			r := t.Named(c.Numbering("interfaces"), []byte(v[i].Name))
			if hw := v[i].HardwareAddr.String(); hw != "" {
				t.Cell(r, []byte("hw_addr")).SetString(hw)
			}
			addrs, _ := v[i].Addrs() // an interface that is gone has no addresses
			for _, a := range addrs {
				if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && t.Cell(r, []byte("inet_addr")).Kind == procfs.None {
					t.Cell(r, []byte("inet_addr")).SetString(n.IP.String())
				}
			}
			own := c.Tables["interface"]
			o := own.Row(r.Inst)
			own.Cell(o, []byte("mtu")).SetUint(uint64(max(0, v[i].MTU)))
			own.Cell(o, []byte("up")).SetUint(uint64(v[i].Flags & net.FlagUp))
		}
		return unsupported(err)
	}, list)
	c.Alias("interface", "address")
}
