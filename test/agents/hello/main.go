// Command hello is the smallest agent: one metric, which does not change.
package main

import (
	"os"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func main() { os.Exit(pmda.Main(newHello)) }

// newHello returns the agent.
func newHello(o *pmda.Options) (pmda.Provider, error) {
	return pmda.New(pmda.Table{Domain: o.DomainOr(449), Metrics: []pmda.Metric{{
		Name: "hello.greeting", Type: pcp.String, Sem: pcp.Discrete,
		OneLine: "A greeting",
		Fetch:   pmda.Always("hello, world"),
	}}})
}
