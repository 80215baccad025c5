package repl

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/cmd/internal/item"
	"pmtools/cmd/internal/picture"
)

func newPlot() *Verb {
	return &Verb{
		Name: "plot", Usage: "[SAMPLES] EXPR ... [> FILE]", Short: "Draw a chart of the values of expressions",
		Long: "Draw a chart of the values of expressions over time, or a picture into a file .svg or .png, which also\n" +
			"follows the sign > at the prompt. Options are those of eval.",
		Doors: Both, Operands: Exprs, Least: 1, Most: many, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			e := f.evaluation(terminalChart)
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				last := len(args) - 1
				if rest, file := cutPicture(args[last]); f.Door == Prompt && file != "" {
					args[last], e.plot = rest, file
				}
				n, args := leading(args, item.Count)
				if n > 0 {
					e.Time.Samples, e.Time.HasSamples = n, true
				}
				return e.run(ctx, s, e.paced(args), w)
			}
		},
	}
}

// cutPicture takes "> FILE" from the end of the argument of :plot, if the file is a picture: the sign
// may also be a relation.
func cutPicture(arg string) (rest, file string) {
	i := strings.LastIndexByte(arg, '>')
	if i < 0 {
		return arg, ""
	}
	file = strings.TrimSpace(arg[i+1:])
	if !picture.Is(file) && !slices.Contains([]string{".jpg", ".jpeg", ".gif", ".pdf"}, filepath.Ext(file)) {
		return arg, ""
	}
	return strings.TrimSpace(arg[:i]), file
}
