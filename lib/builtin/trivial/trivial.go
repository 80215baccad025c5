// Package trivial is the smallest collector.
package trivial

import (
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Domain is the domain of the metrics, unless the options have another.
const Domain = 250

// New returns the smallest collector: the time of day.
func New(domain uint32) (pmda.Provider, error) {
	return pmda.New(pmda.Table{Domain: domain, Metrics: []pmda.Metric{{
		Name: "trivial.time",
		Type: pcp.Uint64, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Sec},
		OneLine: "Seconds since the start of 1970",
		Help:    "The time of day where the agent runs, in whole seconds since the start of the\nyear 1970 in UTC.",
		Fetch:   pmda.One(func() int64 { return time.Now().Unix() }),
	}}})
}
