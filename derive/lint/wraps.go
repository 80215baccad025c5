package lint

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var wraps = Rule{
	Name: "wrap",
	Doc: "delta() of a counter of 32 bits: where it wraps around the difference is a large negative number; rate() notices, and has no " +
		"value then. In a recording also rate() of one that grows so fast that it wraps between two samples (--interval, 1min), which " +
		"nothing can notice.",
	Bad:  "disk.used = delta(disk.dev.avactive)\n",
	Good: "disk.used = rate(disk.dev.avactive)\n",
	Run: func(p *Pass) {
		interval := cmp.Or(p.opt.Interval, time.Minute)
		for d, call := range nodes[*syntax.CallExpr](p, true) {
			if call.Fun != syntax.RATE && call.Fun != syntax.DELTA {
				continue
			}
			for _, ref := range operands(d, call.X) {
				desc := d.info.Metrics[ref]
				if desc.Sem != pcp.Counter || desc.Type != pcp.Int32 && desc.Type != pcp.Uint32 {
					continue
				}
				fastest, known := 0.0, false
				if p.source != nil {
					fastest, known = p.source.fastest(desc.ID)
				}
				switch {
				case known && fastest*interval.Seconds() > math.MaxUint32/2:
					p.report(d, start(ref), fmt.Sprintf("%s has 32 bits and grows by up to %.3g a second: it can wrap around within %v", ref.Name, fastest, interval))
				case call.Fun == syntax.DELTA:
					p.report(d, start(call), fmt.Sprintf("delta() of %s, a counter of 32 bits, is negative where it wraps around", ref.Name),
						fmt.Sprintf("rate(%s) has no value there", d.text(call.X)))
				}
			}
		}
	},
}
