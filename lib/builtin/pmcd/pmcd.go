// Package pmcd collects the metrics about the daemon, for programs without one.
package pmcd

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
)

// Domain is the domain of the metrics about the daemon.
const Domain = 2

// Options say what the metrics about the daemon show. The zero value is the
// default.
type Options struct {
	// Agents are the collectors that there are, by their domains; their names need not
	// be sorted, but the numbers are.
	Agents []pcp.Instance
	// Hostname returns the name of the host; nil means os.Hostname.
	Hostname func() (string, error)
	// Root is the directory below which the system's files are; "" means "/".
	Root string
	// Zone is the reporting zone in the form of TZ; "" means that of the environment,
	// or of this machine.
	Zone string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New returns a collector with those of the daemon's metrics that mean something
// in a program that is its own daemon: they have the reference's names and numbers.
func New(o *Options) (pmda.Provider, error) {
	p := &collector{}
	if o != nil {
		p.Options = *o
	}
	p.host = host.Host{Hostname: p.Hostname, Root: p.Root, Now: p.Now}
	p.start = p.host.Time()
	return pmda.New(pmda.Table{Domain: Domain, Metrics: p.metrics(), Labels: `{"agent":"pmcd"}`})
}

// pmcd is the collector.
type collector struct {
	Options
	host      host.Host
	start     time.Time
	registers [16]int32
}

// textRow makes a row for a string.
func textRow(name string, cluster, item uint32, sem pcp.Sem, oneLine string, value func() string) pmda.Metric {
	return pmda.Metric{Name: "pmcd." + name, Cluster: cluster, Item: item, Type: pcp.String, Sem: sem, OneLine: oneLine, Fetch: pmda.One(value)}
}

// numberRow makes a row for an unsigned number.
func numberRow(name string, cluster, item uint32, sem pcp.Sem, oneLine string, value func() int) pmda.Metric {
	return pmda.Metric{Name: "pmcd." + name, Cluster: cluster, Item: item, Type: pcp.Uint32, Sem: sem, OneLine: oneLine, Fetch: pmda.One(value)}
}

// always returns a function that returns always the same.
func always[T any](v T) func() T { return func() T { return v } }

// metrics returns the table, in the order of the reference's name space.
func (p *collector) metrics() []pmda.Metric {
	datasize := numberRow("datasize", 0, 1, pcp.Instant, "Memory that this program has for its data", func() int { return int(host.DataSize()) })
	datasize.Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	timeout := numberRow("control.timeout", 0, 4, pcp.Discrete, "Seconds that agents may take to answer; there is no limit here", always(0))
	timeout.Units = pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	pid := numberRow("pid", 0, 23, pcp.Discrete, "Process number of this program", os.Getpid)
	pid.Type = pcp.Uint64
	rows := []pmda.Metric{
		datasize,
		numberRow("numagents", 0, 2, pcp.Instant, "How many collectors there are", func() int { return len(p.Agents) }),
		numberRow("numclients", 0, 3, pcp.Instant, "How many clients there are: this program", always(1)),
		textRow("timezone", 0, 5, pcp.Discrete, "The time zone of this host, in the form of TZ", p.timezone),
		textRow("zoneinfo", 0, 26, pcp.Discrete, "The time zone of this host, by the name of its file", p.zoneinfo),
		textRow("simabi", 0, 6, pcp.Discrete, "The architecture of this program", architecture),
		textRow("version", 0, 7, pcp.Discrete, "The version of Performance Co-Pilot that this is compatible with", always(version.PCP)),
		textRow("services", 0, 16, pcp.Instant, "Services of Performance Co-Pilot that run on this host", p.services),
		textRow("build", 0, 20, pcp.Discrete, "The number of the build within the version", always("1")),
		textRow("hostname", 0, 21, pcp.Discrete, "The name of this host", p.host.Name),
		pid,
		numberRow("seqnum", 0, 24, pcp.Discrete, "How often the configuration has changed, and one", always(1)),
		textRow("labels", 0, 25, pcp.Instant, "Labels that are configured for all metrics", p.labels),
		timeout,
	}
	rows = append(rows, p.registerRow())
	rows = append(rows, p.agentRows()...)
	rows = append(rows, p.clientRows()...)
	return append(rows, featureRows()...)
}

// fixedHelp is the help text of instance domains that do not change.
const fixedHelp = "The instances are always the same."

// registerRow makes the row of the registers, in which anybody can leave a number.
func (p *collector) registerRow() pmda.Metric {
	names := make([]string, len(p.registers))
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return pmda.Metric{
		Name: "pmcd.control.register", Item: 8, Type: pcp.Int32, Sem: pcp.Discrete,
		InDom:   &pmda.InDom{Serial: 2, Instances: pmda.Numbered(0, names...), InstLabels: pmda.NoLabels, OneLine: "Registers", Help: fixedHelp},
		OneLine: "Numbers that anybody may store", Help: "Sixteen numbers without any meaning, for those who agree on one. They can be set with\npmstore(1), and last as long as this program runs.",
		Fetch: pmda.Each(func(inst int32) (int32, error) { return p.registers[inst], nil }),
		Store: func(_ *pmda.Client, v *pcp.Values) error {
			for i, inst := range v.Insts {
				if inst < 0 || int(inst) >= len(p.registers) {
					return pmerr.Inst
				}
				p.registers[inst] = int32(uint32(v.Words[i]))
			}
			return nil
		},
	}
}

// agentRows makes the rows about the collectors.
func (p *collector) agentRows() []pmda.Metric {
	d := &pmda.InDom{Serial: 3, Instances: p.Agents, InstLabels: pmda.NoLabels, OneLine: "The collectors, by their domains"}
	number := func(inst int32) (int32, error) { return 0, nil }
	return []pmda.Metric{{
		Name: "pmcd.agent.type", Cluster: 4, Item: 0, Type: pcp.Uint32, Sem: pcp.Discrete, InDom: d,
		OneLine: "How collectors are connected: 0, they are part of the program", Fetch: pmda.Each(number),
	}, {
		Name: "pmcd.agent.status", Cluster: 4, Item: 1, Type: pcp.Int32, Sem: pcp.Discrete, InDom: d,
		OneLine: "Whether collectors work: 0, they do", Fetch: pmda.Each(number),
	}, {
		Name: "pmcd.agent.fenced", Cluster: 4, Item: 2, Type: pcp.Uint32, Sem: pcp.Instant, InDom: d,
		OneLine: "Whether collectors are fenced off: 0, they are not", Fetch: pmda.Each(number),
	}, {
		Name: "pmcd.agent.name", Cluster: 4, Item: 3, Type: pcp.String, Sem: pcp.Discrete, InDom: d,
		OneLine: "The names of collectors",
		Fetch: pmda.Each(func(inst int32) (string, error) {
			for _, i := range p.Agents {
				if i.ID == inst {
					return i.Name, nil
				}
			}
			return "", pmerr.Inst
		}),
	}}
}

// clientRows makes the rows about the only client.
func (p *collector) clientRows() []pmda.Metric {
	d := &pmda.InDom{Serial: 6, Instances: pmda.Numbered(0, "0"), InstLabels: pmda.NoLabels, OneLine: "Clients: this program", Help: fixedHelp}
	whoami := strings.Join(os.Args, " ")
	row := func(name string, item uint32, sem pcp.Sem, oneLine string, value *string) pmda.Metric {
		return pmda.Metric{
			Name: "pmcd.client." + name, Cluster: 6, Item: item, Type: pcp.String, Sem: sem, InDom: d, OneLine: oneLine,
			Fetch: pmda.Each(func(int32) (string, error) { return *value, nil }),
		}
	}
	started, none := p.start.Format("Mon Jan _2 15:04:05 2006"), ""
	me := row("whoami", 0, pcp.Discrete, "What clients say that they are", &whoami)
	me.Store = func(_ *pmda.Client, v *pcp.Values) error {
		if v.Insts[0] != 0 || len(v.Blobs) == 0 {
			return pmerr.Permission
		}
		whoami = string(v.Blobs[0])
		return nil
	}
	return []pmda.Metric{
		me,
		row("start_date", 1, pcp.Discrete, "When clients connected", &started),
		row("container", 2, pcp.Instant, "The containers that clients have asked for", &none),
		{
			Name: "pmcd.cputime.total", Cluster: 7, Item: 0, Type: pcp.Uint64, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Msec},
			OneLine: "Processor time that this program has used",
			Fetch: pmda.One(func() float64 {
				user, sys := host.Times()
				return 1000 * (user + sys)
			}),
		},
	}
}

// featureRows makes the rows about what connections can do: there is none.
func featureRows() []pmda.Metric {
	var rows []pmda.Metric
	for i, f := range []string{
		"secure", "compress", "ipv6", "authentication", "creds_required", "unix_domain_sockets", "service_discovery",
		"containers", "local", "client_cert_required",
	} {
		value := 0
		if f == "local" {
			value = 1
		}
		oneLine := "Whether the daemon can do this; there is no daemon: " + strings.ReplaceAll(f, "_", " ")
		rows = append(rows, numberRow("feature."+f, 8, uint32(i), pcp.Instant, oneLine, always(value)))
	}
	return rows
}

// architecture returns the architecture as uname(1) calls it.
func architecture() string {
	for _, a := range [...][2]string{{"amd64", "x86_64"}, {"arm64", "aarch64"}, {"386", "i686"}} {
		if runtime.GOARCH == a[0] {
			return a[1]
		}
	}
	return runtime.GOARCH
}

// labels returns the labels of the host that are in files as a JSON object.
func (p *collector) labels() string {
	labels := pcp.MergeLabels(p.host.Labels()...)
	if len(labels) == 0 {
		return ""
	}
	return string(pcp.AppendLabels(nil, labels))
}

// services returns the services with a file in the directory for that.
func (p *collector) services() string {
	names := []string{}
	for _, name := range []string{"pmcd", "pmie", "pmlogger", "pmproxy"} {
		if p.host.Word("run/pcp/"+name+".pid", "", "") != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// timezone returns the zone in the form of TZ.
func (p *collector) timezone() string {
	if p.Zone != "" {
		return p.Zone
	}
	if tz := os.Getenv("TZ"); tz != "" {
		return tz
	}
	return zoneOffset(p.host.Time().Local())
}

// zoneOffset returns a zone without rules, in the form of TZ: its name, and how far
// it is behind UTC.
func zoneOffset(t time.Time) string {
	name, east := t.Zone()
	if name == "" || strings.ContainsAny(name, "+-0123456789") {
		name = "<" + name + ">"
	}
	if east == 0 && name == "UTC" {
		return name
	}
	west := -east / 60
	sign := ""
	if west < 0 {
		sign, west = "-", -west
	}
	if west%60 == 0 {
		return name + sign + strconv.Itoa(west/60)
	}
	return name + sign + strconv.Itoa(west/60) + ":" + strconv.Itoa(west%60/10) + strconv.Itoa(west%10)
}

// zoneinfo returns the zone by the name of its file, "" if that is not known.
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
