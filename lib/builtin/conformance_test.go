package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
	"pmtools/lib/pmda"
	_ "pmtools/test/env"
)

// fixedClock returns a clock that goes on by a millisecond each time.
func fixedClock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

// twin returns a collector that has names where others have some.
func twin() Collector {
	return Collector{Name: "twin", Domain: 251, New: func() (pmda.Provider, error) {
		one := pmda.One(func() int { return 1 })
		return pmda.New(pmda.Table{Domain: 251, Metrics: []pmda.Metric{
			{Name: "sample.twin.one", Item: 1, Type: pcp.Int32, Sem: pcp.Instant, Fetch: one},
			{Name: "twin.two", Item: 2, Type: pcp.Int32, Sem: pcp.Instant, Fetch: one},
			{Name: "single", Item: 3, Type: pcp.Int32, Sem: pcp.Instant, Fetch: one},
		}})
	}}
}

// portableAgents returns the agents that need no particular system.
func portableAgents() []Agent {
	return slices.DeleteFunc(Agents(), func(a Agent) bool { return slices.Contains([]string{"linux", "host", "proc"}, a.Name) })
}

// portable returns a Source of the collectors that need no particular system.
func portable(t *testing.T) *Source {
	t.Helper()
	dir := t.TempDir()
	demo := mmvtest.Demo()
	demo.Labels = []mmv.Label{{Kind: pcp.InstanceLabels, Ident: 61, Inst: 1, Text: `{"hue":[1,2]}`}}
	if err := os.WriteFile(filepath.Join(dir, "acme"), mmvtest.Build(demo), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &Options{
		Root: t.TempDir(), MMVDir: dir, Now: fixedClock(), Zone: "UTC", Hostname: func() (string, error) { return "here", nil },
		Agents: portableAgents(), Collectors: []Collector{twin()},
	}
	s := Default(o)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestConformance runs the kit over the collectors, and one whose names are found out, and are
// among those of another.
func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) pmapi.Source { return portable(t) })
}

// TestConformanceDefault runs it over a system whose values do not change.
func TestConformanceDefault(t *testing.T) {
	root := procfstest.Tree(t)
	sourcetest.Run(t, func(t *testing.T) pmapi.Source { return Default(&Options{Root: root, Now: fixedClock()}) })
}
