//go:build darwin || windows

package builtin

import (
	"pmtools/lib/builtin/host"
	"pmtools/lib/pmda"
)

// hostAgents are the portable collectors, for a system without collectors of its own.
var hostAgents = []Agent{{"host", host.Domain}, {"proc", host.ProcessesDomain}}

func hostCollector(a Agent) *Collector {
	c := &Collector{Name: a.Name, Domain: a.Domain}
	switch a.Name {
	case "host":
		c.Roots = host.Roots()
		c.New = func() (pmda.Provider, error) { return host.New(a.Domain), nil }
	case "proc":
		c.Roots = []string{"proc"}
		c.New = func() (pmda.Provider, error) { return host.NewProcesses(a.Domain), nil }
	default:
		return nil
	}
	return c
}
