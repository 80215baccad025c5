package repl

import (
	"cmp"
	"context"
	"io"
	"strings"

	"pmtools/cmd/internal/item"
)

// defaultTop is how many values top shows.
const defaultTop = 10

func newTop() *Verb {
	return &Verb{
		Name: "top", Usage: "[N] [INTERVAL] EXPR", Short: "Show the largest values of an expression",
		Long: "Show the largest values of an expression, ten or N of them: once, or again and again where an interval is\n" +
			"given. Live ones are drawn on a terminal again and again, until Ctrl-C. Options are those of eval.",
		Doors: Both, Operands: Exprs, Least: 1, Most: 3, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			e := f.evaluation("")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				n, args := leading(args, item.Count)
				if args = e.paced(args); len(args) != 1 {
					return misuse("top is for one expression: %s", strings.Join(args, ", "))
				}
				if s.set.Top = cmp.Or(n, s.set.Top, defaultTop); !f.Changed("sort") {
					s.set.Sort = "value"
				}
				if err := e.connect(ctx, s, args); err != nil {
					return err
				}
				e.over = e.Time.HasInterval || s.opt.Screen && s.live() && cmp.Or(e.Time.Samples, s.set.Samples) != 1
				e.drawn = e.over
				return e.run(ctx, s, args, w)
			}
		},
	}
}
