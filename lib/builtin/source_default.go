package builtin

import (
	"runtime"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Default returns a Source of all the collectors of this package, in the order of
// the reference's name space. Making it reads nothing.
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
		{Name: "mmv", Domain: MMVDomain, Roots: []string{"mmv"}, New: func() (pmda.Provider, error) {
			return NewMMV(&MMVOptions{Dir: o.MMVDir, Now: o.Now})
		}},
		{Name: "pmcd", Domain: pmcdDomain, Roots: []string{"pmcd"}, New: func() (pmda.Provider, error) {
			return NewPmcd(&PmcdOptions{Agents: o.agents(), Hostname: o.Hostname, Root: o.Root, Zone: o.Zone, Now: o.Now})
		}},
	}
}

// demonstrations returns the collectors that show what there can be.
func (o *Options) demonstrations() []Collector {
	return []Collector{
		{Name: "sample", Domain: SampleDomain, Roots: []string{"sample"}, New: func() (pmda.Provider, error) {
			return NewSample(&SampleOptions{Now: o.Now})
		}},
		{Name: "simple", Domain: SimpleDomain, Roots: []string{"simple"}, New: func() (pmda.Provider, error) { return NewSimple(nil) }},
		{Name: "trivial", Domain: TrivialDomain, Roots: []string{"trivial"}, New: func() (pmda.Provider, error) { return NewTrivial(TrivialDomain) }},
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
		return []Collector{{Name: "go", Domain: golangDomain, Roots: []string{"go"}, New: newGolang}}
	}
	return []Collector{{
		Name: "linux", Domain: linuxDomain, Roots: listedRoots(linuxMetrics),
		New: func() (pmda.Provider, error) { return Linux(o.root()), nil },
	}}
}

// listedRoots returns the first components of the names in a list of metrics, which
// begins each line with a name. Names with the same one stand together.
func listedRoots(text string) []string {
	var roots []string
	last := ""
	for line := range strings.Lines(text) {
		if last != "" && strings.HasPrefix(line, last) || line[0] == '#' {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		root, _, _ := strings.Cut(name, ".")
		if last = root + "."; root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// processes returns the collector of processes, if there is one for the system.
func (o *Options) processes() []Collector {
	if runtime.GOOS != "linux" {
		return nil
	}
	return []Collector{{Name: "proc", Domain: procDomain, Roots: listedRoots(procMetrics), New: func() (pmda.Provider, error) { return Proc(o.root()), nil }}}
}
