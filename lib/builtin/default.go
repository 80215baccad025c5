package builtin

import (
	"runtime"
	"slices"

	"pmtools/lib/builtin/golang"
	"pmtools/lib/builtin/linux"
	"pmtools/lib/builtin/mmv"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/builtin/sample"
	"pmtools/lib/builtin/simple"
	"pmtools/lib/builtin/trivial"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Default returns a Source of all the collectors of this package, in the order of the reference's
// name space. Making it reads nothing.
func Default(opts *Options) *Source {
	var o Options
	if opts != nil {
		o = *opts
	}
	own := slices.Concat(o.system(), o.daemon(), o.processes(), o.demonstrations())
	if o.Omit != nil {
		own = slices.DeleteFunc(own, func(c Collector) bool { return o.Omit(c.Domain) })
	}
	o.Collectors = append(own, o.Collectors...)
	return New(&o)
}

// daemon returns the collectors about this program, and others like it.
func (o *Options) daemon() []Collector {
	return []Collector{
		{Name: "mmv", Domain: mmv.Domain, Roots: []string{"mmv"}, New: func() (pmda.Provider, error) {
			return mmv.New(&mmv.Options{Dir: o.MMVDir, Now: o.Now})
		}},
		{Name: "pmcd", Domain: pmcd.Domain, Roots: []string{"pmcd"}, New: func() (pmda.Provider, error) {
			return pmcd.New(&pmcd.Options{Agents: o.agents(), Hostname: o.Hostname, Root: o.Root, Zone: o.Zone, Now: o.Now})
		}},
	}
}

// demonstrations returns the collectors that show what there can be.
func (o *Options) demonstrations() []Collector {
	return []Collector{
		{Name: "sample", Domain: sample.Domain, Roots: []string{"sample"}, New: func() (pmda.Provider, error) {
			return sample.New(&sample.Options{Now: o.Now})
		}},
		{Name: "simple", Domain: simple.Domain, Roots: []string{"simple"}, New: func() (pmda.Provider, error) { return simple.New(nil) }},
		{Name: "trivial", Domain: trivial.Domain, Roots: []string{"trivial"}, New: func() (pmda.Provider, error) { return trivial.New(trivial.Domain) }},
	}
}

// agents returns the collectors as instances.
func (o *Options) agents() []pcp.Instance {
	var list []pcp.Instance
	for _, c := range o.Collectors {
		list = append(list, pcp.Instance{ID: int32(c.Domain), Name: c.Name})
	}
	slices.SortFunc(list, func(a, b pcp.Instance) int { return int(a.ID - b.ID) })
	return list
}

// system returns the collectors of the operating system.
func (o *Options) system() []Collector {
	if runtime.GOOS != "linux" {
		return []Collector{{Name: "go", Domain: golang.Domain, Roots: []string{"go"}, New: golang.New}}
	}
	return []Collector{{
		Name: "linux", Domain: linux.Domain, Roots: linux.Roots(),
		New: func() (pmda.Provider, error) { return linux.New(o.Root), nil },
	}}
}

// processes returns the collector of processes, if there is one for the system.
func (o *Options) processes() []Collector {
	if runtime.GOOS != "linux" {
		return nil
	}
	return []Collector{{Name: "proc", Domain: proc.Domain, Roots: proc.Roots(), New: func() (pmda.Provider, error) { return proc.New(o.Root), nil }}}
}
