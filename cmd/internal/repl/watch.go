package repl

import (
	"context"
	"io"
)

func newWatch() *Verb {
	return &Verb{
		Name: "watch", Usage: "[INTERVAL] EXPR ...", Short: "Show values as time goes by, until Ctrl-C",
		Long: "Show the values of an expression again and again, of an archive from its begin on. On a terminal one\n" +
			"live expression is drawn over its last values; those of several stand side by side. Options are those of eval.",
		Doors: Both, Operands: Exprs, Least: 1, Most: many, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			e := f.evaluation("")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				args = e.paced(args)
				e.over, e.drawn = true, len(args) == 1
				return e.run(ctx, s, args, w)
			}
		},
	}
}
