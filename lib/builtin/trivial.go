package builtin

import (
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// TrivialDomain is the usual domain of NewTrivial.
const TrivialDomain = 250

// NewTrivial returns the smallest collector: what time it is (collector.md C10.1).
func NewTrivial(domain uint32) (pmda.Provider, error) {
	return pmda.New(pmda.Table{Domain: domain, Metrics: []pmda.Metric{{
		Name: "trivial.time",
		Type: pcp.Uint64, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Sec},
		OneLine: "Seconds since the start of 1970",
		Help:    "The time of day where the agent runs, in whole seconds since the start of the\nyear 1970 in UTC.",
		Fetch:   pmda.One(func() int64 { return time.Now().Unix() }),
	}}})
}
