package install

import (
	"fmt"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// portable returns the problem of the first definition of a file that PCP's tools cannot evaluate, or nil.
func portable(name string, text []byte) error {
	for c := range syntax.Chunks(name, text) {
		d := c.Definition()
		if d == nil || !d.Extended {
			continue
		}
		x, err := check.Extended.Syntax().Parse(d.Expr())
		if err != nil {
			continue // the check has said so
		}
		if n := syntax.Extension(x); n != nil {
			from, _ := n.Span()
			line, column, row := c.Places().At(d.Offset + int(from))
			return &diagnose.Problem{
				Msg: fmt.Sprintf("%s:%d: PCP's tools cannot evaluate %s", name, line, d.Name), Src: row, Pos: column - 1,
				Notes: []string{"fmt --pcp tells what they lack; pmderive -c reads the file as it is"},
			}
		}
	}
	return nil
}
