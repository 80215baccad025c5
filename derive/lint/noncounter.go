package lint

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

var nonCounter = Rule{
	Name: "non-counter",
	Doc: "rate() and delta() of a metric that is not a counter: its values go up and down, and so does the difference of two of them. " +
		"Often a counter of a similar name was meant, or the value itself.",
	Bad:  "mem.change = rate(mem.util.used)\n",
	Good: "disk.reads = rate(disk.dev.total)\n",
	Run: func(p *Pass) {
		for d, call := range nodes[*syntax.CallExpr](p, true) {
			if call.Fun != syntax.RATE && call.Fun != syntax.DELTA {
				continue
			}
			typ, known := d.info.Types[call.X]
			if known && typ.Sem != pcp.Counter && !differenceOf(call.X) {
				from, to := call.Span()
				inner, end := call.X.Span()
				fix := syntax.Fix{Title: "remove " + call.Fun.Symbol() + "()", Start: from, End: to, Text: d.String()[inner:end]}
				p.fixable(d, start(call), []syntax.Fix{fix}, fmt.Sprintf("%s() of a metric that is not a counter: %s is %s", call.Fun.Symbol(), d.text(call.X), typ.Sem.Text()))
			}
		}
	},
}

// differenceOf reports whether an expression is rate() or delta() itself: a change of a change is
// meant.
func differenceOf(x syntax.Expr) bool {
	call, ok := syntax.Unparen(x).(*syntax.CallExpr)
	return ok && (call.Fun == syntax.RATE || call.Fun == syntax.DELTA)
}
