package builtin

import (
	"runtime"
	"slices"

	"pmtools/lib/builtin/linux"
	"pmtools/lib/builtin/mmv"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/builtin/sample"
	"pmtools/lib/builtin/simple"
	"pmtools/lib/builtin/trivial"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// An Agent is one of the collectors of this package, serving a domain.
type Agent struct {
	Name   string // name of the reference's agent
	Domain uint32
}

// Agents returns all the collectors of this package in their usual domains, in the order of the
// reference's name space.
func Agents() []Agent {
	others := []Agent{
		{"mmv", mmv.Domain}, {"pmcd", pmcd.Domain}, {"proc", proc.Domain}, {"sample", sample.Domain},
		{"simple", simple.Domain}, {"trivial", trivial.Domain},
	}
	if runtime.GOOS == "linux" {
		return append([]Agent{{"linux", linux.Domain}}, others...)
	}
	others = slices.DeleteFunc(others, func(a Agent) bool { return a.Name == "proc" })
	return slices.Concat(hostAgents, others)
}

// Default returns a Source of the collectors of this package that the options choose; the first
// collector of a domain counts. Making it reads nothing.
func Default(opts *Options) *Source {
	var o Options
	if opts != nil {
		o = *opts
	}
	agents := o.Agents
	if agents == nil {
		agents = Agents()
	}
	var own []Collector
	for _, a := range agents {
		if !slices.ContainsFunc(own, func(c Collector) bool { return c.Domain == a.Domain }) {
			own = append(own, o.collector(a))
		}
	}
	o.Collectors = append(own, o.Collectors...)
	return New(&o)
}

// sampleDSO is the domain in which the reference has the names sampledso for the metrics of sample.
const sampleDSO = 30

// collector returns the collector of an agent. An unknown agent has a collector without names.
func (o *Options) collector(a Agent) Collector {
	c := Collector{Name: a.Name, Domain: a.Domain, Roots: []string{a.Name}}
	kernel := linux.Options{Domain: a.Domain, Root: o.Root, Getenv: o.Getenv, CacheDir: o.CacheDir}
	if host := hostCollector(a); host != nil {
		return *host
	}
	switch a.Name {
	case "linux":
		c.Roots = linux.Roots()
		c.New = func() (pmda.Provider, error) { return linux.New(&kernel), nil }
	case "mmv":
		c.New = func() (pmda.Provider, error) {
			return mmv.New(&mmv.Options{Domain: a.Domain, Dir: o.MMVDir, Now: o.Now})
		}
	case "pmcd":
		c.New = func() (pmda.Provider, error) {
			return pmcd.New(&pmcd.Options{
				Domain: a.Domain, Agents: o.agents(), Hostname: o.Hostname, Root: o.Root, Zone: o.Zone, Now: o.Now,
			})
		}
	case "proc":
		c.Roots = proc.Roots()
		c.New = func() (pmda.Provider, error) { return proc.New(&kernel), nil }
	case "sample":
		if a.Domain == sampleDSO {
			c.Roots = []string{"sampledso"}
		}
		c.New = func() (pmda.Provider, error) {
			return sample.New(&sample.Options{Domain: a.Domain, Name: c.Roots[0], Now: o.Now})
		}
	case "simple":
		c.New = func() (pmda.Provider, error) { return simple.New(&simple.Options{Domain: a.Domain}) }
	case "trivial":
		c.New = func() (pmda.Provider, error) { return trivial.New(a.Domain) }
	default:
		c.Roots, c.New = []string{}, func() (pmda.Provider, error) { return nil, pmerr.NoAgent }
	}
	return c
}

func (o *Options) agents() []pcp.Instance {
	var list []pcp.Instance
	for _, c := range o.Collectors {
		list = append(list, pcp.Instance{ID: int32(c.Domain), Name: c.Name})
	}
	slices.SortFunc(list, func(a, b pcp.Instance) int { return int(a.ID - b.ID) })
	return list
}
