package lint

import (
	"fmt"
	"strings"

	"pmtools/derive/syntax"
)

var missing = Rule{
	Name: "missing",
	Doc: "Some archives of a set do not have a metric: the definition has no values over their time. It is in none of the others' " +
		"pmlogger configuration, or an agent was not there.",
	Run: func(p *Pass) {
		if p.source == nil {
			return
		}
		type place struct {
			d    *definition
			name string
		}
		seen := make(map[place]bool)
		for d, ref := range nodes[*syntax.MetricRef](p, true) {
			desc, known := d.info.Metrics[ref]
			if !known || seen[place{d, ref.Name}] {
				continue
			}
			seen[place{d, ref.Name}] = true
			if list := p.source.lacking(desc.ID); len(list) > 0 {
				p.report(d, start(ref), fmt.Sprintf("%s is not in %s", ref.Name, strings.Join(list, ", ")))
			}
		}
	},
}
