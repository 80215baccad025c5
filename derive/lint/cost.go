package lint

import (
	"cmp"
	"fmt"
)

const defaultCost = 10_000

var cost = Rule{
	Name: "cost",
	Doc: "So many values are fetched for each evaluation, which is counted by the instances that the source has (--max-cost, 10000). " +
		"An instance in brackets does not help: all are fetched, and one is kept.",
	Bad:  "disk.size = rate(disk.dev.total_bytes) / rate(disk.dev.total)\n",
	Good: "mem.share = mem.util.used / mem.physmem\n",
	Run: func(p *Pass) {
		limit := cmp.Or(p.opt.MaxCost, defaultCost)
		for d := range p.definitions() {
			if d.info == nil || p.source == nil {
				continue
			}
			values := 0
			for _, id := range d.info.Operands {
				values += p.valuesOf(d, id)
			}
			if values > limit {
				p.report(d, 0, fmt.Sprintf("each evaluation fetches %d values of %d metrics, more than %d", values, len(d.info.Operands), limit))
			}
		}
	},
}
