package builtin

import (
	"context"
	"runtime"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// goDomain is the usual domain of newGo, the highest one.
const goDomain = 510

// newGo returns the collector for systems without a collector of their own.
func newGo(domain uint32) (pmda.Provider, error) {
	var mem runtime.MemStats
	memory := &pmda.Reading{Read: func(context.Context, *pmda.Request) error { runtime.ReadMemStats(&mem); return nil }}
	kbyte, count := pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}, pcp.Units{DimCount: 1}
	return pmda.New(pmda.Table{Domain: domain, Labels: `{"agent":"go"}`, Metrics: []pmda.Metric{
		{Name: "go.system", Item: 0, Type: pcp.String, Sem: pcp.Discrete, OneLine: "The operating system", Fetch: pmda.Always(runtime.GOOS)},
		{Name: "go.machine", Item: 1, Type: pcp.String, Sem: pcp.Discrete, OneLine: "The architecture of processors", Fetch: pmda.Always(runtime.GOARCH)},
		{Name: "go.version", Item: 2, Type: pcp.String, Sem: pcp.Discrete, OneLine: "The version of Go", Fetch: pmda.One(runtime.Version)},
		{Name: "go.ncpu", Item: 3, Type: pcp.Uint32, Sem: pcp.Discrete, Units: count, OneLine: "How many processors this program may use", Fetch: pmda.One(runtime.NumCPU)},
		{Name: "go.goroutines", Item: 4, Type: pcp.Uint32, Sem: pcp.Instant, Units: count, OneLine: "How many goroutines this program has", Fetch: pmda.One(runtime.NumGoroutine)},
		{Name: "go.memory", Item: 5, Type: pcp.Uint64, Sem: pcp.Instant, Units: kbyte, OneLine: "Memory that this program has", Needs: memory, Fetch: pmda.One(func() uint64 { return mem.Sys / 1024 })},
		{Name: "go.heap", Item: 6, Type: pcp.Uint64, Sem: pcp.Instant, Units: kbyte, OneLine: "Memory on the heap that is in use", Needs: memory, Fetch: pmda.One(func() uint64 { return mem.HeapInuse / 1024 })},
		{Name: "go.collections", Item: 7, Type: pcp.Uint32, Sem: pcp.Counter, Units: count, OneLine: "How often garbage was collected", Needs: memory, Fetch: pmda.One(func() uint32 { return mem.NumGC })},
	}})
}
