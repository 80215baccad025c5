package lint

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// ignored reports text that PCP reads and then ignores. The readers of files report ignored lines that
// are not definitions under the same name.
var ignored = Rule{
	Name: "ignored",
	Doc: "PCP ignores it without a word: a number in the units of rescale(), all but the last of several values of a tag, a last line " +
		"without a newline, the line after a comment that ends in a backslash, text after the quotes of a help text.",
	Bad:  "mem.blocks = rescale(mem.util.used, \"4 Kbyte\")\n",
	Good: "mem.blocks = rescale(mem.util.used, \"Kbyte\") / 4\n",
	Run: func(p *Pass) {
		for d, n := range nodes[syntax.Node](p, false) {
			if r, ok := n.(*syntax.RescaleExpr); ok {
				if units, factor, err := pcp.ParseUnits(r.Units); err == nil && factor != 1 {
					p.report(d, r.UnitsPos, fmt.Sprintf("PCP ignores the number in \"%s\": the values are in %s", r.Units, units))
				}
			}
			last := make(map[syntax.Token]*syntax.Spec)
			for _, s := range syntax.Specs(n) {
				if old := last[s.Tag]; old != nil {
					p.report(d, old.TagPos, fmt.Sprintf("PCP ignores this %s: another one follows it", old.Tag.Symbol()))
				}
				last[s.Tag] = s
			}
		}
	},
}
