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
		if p.Source == nil {
			return
		}
		type place struct {
			d    *Definition
			name string
		}
		seen := make(map[place]bool)
		for d, ref := range nodes[*syntax.MetricRef](p, true) {
			desc, known := d.Info.Metrics[ref]
			if !known || seen[place{d, ref.Name}] {
				continue
			}
			seen[place{d, ref.Name}] = true
			if list := p.Source.Lacking(desc.ID); len(list) > 0 {
				p.report(d, start(ref), fmt.Sprintf("%s is not in %s", ref.Name, strings.Join(list, ", ")))
			}
		}
	},
}
