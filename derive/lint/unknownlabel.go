package lint

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/syntax"
)

var unknownLabel = Rule{
	Name: "unknown-label",
	Doc: "No instance has a label that groups are made by, and neither have the domain of the instances, the agent and the host: all " +
		"instances are one group, whose name is two quotes.",
	Bad:  syntax.Mark + "\ndisk.kinds = sum(disk.dev.total) by (kind)\n",
	Good: syntax.Mark + "\ndisk.hosts = sum(disk.dev.total) by (hostname)\n",
	Run: func(p *Pass) {
		if p.source == nil {
			return
		}
		for d, call := range nodes[*syntax.CallExpr](p, true) {
			typ, known := d.info.Types[call.X]
			if call.By == nil || !known || typ.Singular() {
				continue
			}
			labels, err := p.source.LabelNames(p.source.ctx, typ.InDom)
			for _, l := range call.By.Labels {
				if err != nil || slices.Contains(labels, l.Name) {
					continue
				}
				var notes []string
				if len(labels) > 0 && len(labels) <= maxListed {
					notes = []string{"the labels are " + strings.Join(labels, ", ")}
				}
				p.report(d, l.Pos, fmt.Sprintf("no instance of %s has a label %s", d.text(call.X), l.Name), notes...)
			}
		}
	},
}
