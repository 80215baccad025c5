package lint

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var wraps = Rule{
	Name: "wrap",
	Doc: "delta() of a counter of 32 bits: where it wraps around the difference is a large negative number; rate() notices, and has no " +
		"value then.",
	Bad:  "disk.used = delta(disk.dev.avactive)\n",
	Good: "disk.used = rate(disk.dev.avactive)\n",
	Run: func(p *Pass) {
		for d, call := range nodes[*syntax.CallExpr](p, true) {
			if call.Fun != syntax.DELTA {
				continue
			}
			for _, ref := range operands(d, call.X) {
				if desc := d.info.Metrics[ref]; desc.Sem == pcp.Counter && (desc.Type == pcp.Int32 || desc.Type == pcp.Uint32) {
					p.report(d, start(call), fmt.Sprintf("delta() of %s, a counter of 32 bits, is negative where it wraps around", ref.Name),
						fmt.Sprintf("rate(%s) has no value there", d.text(call.X)))
				}
			}
		}
	},
}
