//go:build darwin || windows

package builtin

import (
	"runtime"
	"slices"

	"pmtools/lib/builtin/host"
	"pmtools/lib/pmda"
)

// hostAgents are the portable collectors, for a system without collectors of its own. Windows gives
// temperatures to administrators only.
var hostAgents = slices.DeleteFunc([]Agent{{"host", host.Domain}, {"lmsensors", host.SensorsDomain}, {"proc", host.ProcessesDomain}}, func(a Agent) bool {
	return a.Name == host.SensorsRoot && runtime.GOOS == "windows"
})

func hostCollector(a Agent) *Collector {
	c := &Collector{Name: a.Name, Domain: a.Domain}
	switch a.Name {
	case "host":
		c.Roots = host.Roots()
		c.New = func() (pmda.Provider, error) { return host.New(a.Domain), nil }
	case "proc":
		c.Roots = []string{"proc"}
		c.New = func() (pmda.Provider, error) { return host.NewProcesses(a.Domain), nil }
	case host.SensorsRoot:
		c.Roots = []string{host.SensorsRoot}
		c.New = func() (pmda.Provider, error) { return host.NewSensors(a.Domain) }
	default:
		return nil
	}
	return c
}
