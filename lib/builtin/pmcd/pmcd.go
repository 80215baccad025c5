// Package pmcd collects the metrics about the daemon, for programs without one.
package pmcd

import (
	"cmp"
	_ "embed"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/catalog"
	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
	"pmtools/lib/when"
)

// Domain is the domain of the metrics, unless the options have another.
const Domain = 2

//go:embed metrics.txt
var metricsText string

// Options configure the metrics about the daemon. The zero value is the default.
type Options struct {
	Domain uint32 // 0 means Domain
	// Agents are the collectors, sorted by domain.
	Agents []pcp.Instance
	// Hostname returns the name of the host; nil means os.Hostname.
	Hostname func() (string, error)
	// Root is the directory below which the system's files are; "" means "/".
	Root string
	// Zone is the reporting zone in the form of TZ; "" means the zone of the environment, or of
	// this machine.
	Zone string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New returns a collector with the metrics of the daemon that mean something in a program that
// is its own daemon: they have the reference's names and numbers.
func New(o *Options) (pmda.Provider, error) {
	p := &collector{}
	if o != nil {
		p.Options = *o
	}
	p.host = host.Host{Hostname: p.Hostname, Root: p.Root, Now: p.Now}
	p.start = p.host.Time()
	list := catalog.New(metricsText)
	p.addInstances(list)
	return pmda.New(pmda.Table{Domain: cmp.Or(p.Domain, Domain), Metrics: list.Metrics, Labels: `{"agent":"pmcd"}`})
}

type collector struct {
	Options
	host      host.Host
	start     time.Time
	registers [16]int32
	whoami    string
}

func (p *collector) addInstances(list *catalog.Catalog) {
	for i := range list.Metrics { // the metrics of features, and of agents
		if m := &list.Metrics[i]; m.InDom == nil {
			m.Fetch = pmda.Always(0)
		} else {
			m.Fetch = pmda.Each(func(int32) (int32, error) { return 0, nil })
		}
	}
	for name, fetch := range p.singular() {
		list.Metric("pmcd." + name).Fetch = fetch
	}
	p.addPrograms(list)
	list.InDoms["3"].Instances, list.InDoms["3"].InstLabels = p.Agents, pmda.NoLabels
	list.Metric("pmcd.agent.name").Fetch = pmda.Each(func(inst int32) (string, error) { return pmda.InstanceName(p.Agents, inst) })

	registers := list.Metric("pmcd.control.register")
	registers.Fetch = pmda.Each(func(inst int32) (int32, error) { return p.registers[inst], nil })
	registers.Store = p.storeRegisters
	registers.InDom.InstLabels = pmda.NoLabels
	for i := range p.registers {
		registers.InDom.Instances = append(registers.InDom.Instances, pcp.Instance{ID: int32(i), Name: strconv.Itoa(i)})
	}

	p.whoami = strings.Join(os.Args, " ")
	started, none := p.start.Format("Mon Jan _2 15:04:05 2006"), ""
	for name, value := range map[string]*string{"whoami": &p.whoami, "start_date": &started, "container": &none} {
		m := list.Metric("pmcd.client." + name)
		m.Fetch = pmda.Each(func(int32) (string, error) { return *value, nil })
		m.InDom.Instances, m.InDom.InstLabels = pmda.Numbered(0, "0"), pmda.NoLabels
	}
	list.Metric("pmcd.client.whoami").Store = p.storeWhoami
}

func (p *collector) singular() map[string]func(*pmda.Column) error {
	return map[string]func(*pmda.Column) error{
		"datasize":      pmda.One(host.DataSize),
		"numagents":     pmda.One(func() int { return len(p.Agents) }),
		"numclients":    pmda.Always(1),
		"timezone":      pmda.One(p.timezone),
		"zoneinfo":      pmda.One(p.zoneinfo),
		"openfds":       p.openFiles,
		"simabi":        pmda.One(architecture),
		"version":       pmda.Always(version.PCP),
		"services":      pmda.One(p.services),
		"build":         pmda.Always("1"),
		"hostname":      pmda.One(p.host.Name),
		"pid":           pmda.One(os.Getpid),
		"seqnum":        pmda.Always(1),
		"labels":        pmda.One(p.labels),
		"feature.local": pmda.Always(1),
		"cputime.total": pmda.One(func() float64 {
			user, sys := host.Times()
			return 1000 * (user + sys)
		}),
	}
}

func (p *collector) storeRegisters(_ *pmda.Client, v *pcp.Values) error {
	for i, inst := range v.Insts {
		if inst < 0 || int(inst) >= len(p.registers) {
			return pmerr.Inst
		}
		p.registers[inst] = int32(uint32(v.Words[i]))
	}
	return nil
}

func (p *collector) storeWhoami(_ *pmda.Client, v *pcp.Values) error {
	if v.Insts[0] != 0 || len(v.Blobs) == 0 {
		return pmerr.Permission
	}
	p.whoami = string(v.Blobs[0])
	return nil
}

// architecture returns the architecture as uname(1) calls it.
func architecture() string {
	names := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686"}
	return cmp.Or(names[runtime.GOARCH], runtime.GOARCH)
}

// openFiles fetches the number of open files of this program; without a value where the system does
// not have it.
func (p *collector) openFiles(c *pmda.Column) error {
	for _, dir := range [...]string{"proc/self/fd", "dev/fd"} {
		if entries, err := os.ReadDir(filepath.Join(p.host.Dir(), filepath.FromSlash(dir))); err == nil {
			c.Uint(pcp.NullInst, uint64(len(entries)))
			return nil
		}
	}
	return nil
}

func (p *collector) labels() string {
	if labels := pcp.MergeLabels(p.host.Labels()...); len(labels) > 0 {
		return string(pcp.AppendLabels(nil, labels))
	}
	return ""
}

func (p *collector) services() string {
	names := []string{}
	for _, name := range []string{"pmcd", "pmie", "pmlogger", "pmproxy"} {
		if p.host.Word("run/pcp/"+name+".pid", "", "") != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func (p *collector) timezone() string {
	return cmp.Or(p.Zone, os.Getenv("TZ"), when.Offset(p.host.Time().Local()))
}

func (p *collector) zoneinfo() string {
	if p.Zone != "" {
		return p.Zone
	}
	if tz := os.Getenv("TZ"); strings.HasPrefix(tz, ":") {
		return tz
	}
	const dir = "/zoneinfo/"
	if link, err := os.Readlink(filepath.Join(p.host.Dir(), "etc", "localtime")); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(link), dir); ok {
			return ":" + name
		}
	}
	if name := p.host.Word("etc/timezone", "", ""); name != "" {
		return ":" + name
	}
	return ""
}
