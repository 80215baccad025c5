package repl

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
	"pmtools/lib/pmcd"
)

// PlotSamples is how many samples a chart has if not set.
const PlotSamples = 60

func newPlot() *Verb {
	return &Verb{
		Name: "plot", Usage: "[SAMPLES] EXPR [> FILE]", Short: "Draw a chart of the values of an expression",
		Long: "Draw a chart of the values of an expression over time, or a picture into a file .svg or .png, which also\n" +
			"follows the sign > at the prompt.",
		Doors: Both, Operands: Exprs, Least: 1, Most: 3, Asks: true, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			file := f.String("output-file", "", "draw a picture into `FILE`, .svg or .png")
			pace := f.pace()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				last, picture := args[len(args)-1], *file
				if f.Door == Prompt && picture == "" {
					last, picture = s.cutPicture(last)
				}
				n, args := leading(append(args[:len(args)-1:len(args)-1], last), item.Count)
				interval, args := pace(args)
				switch {
				case len(args) != 1:
					return misuse("a chart is of one expression: %s", strings.Join(args, ", "))
				case picture != "" && (s.opt.IsPicture == nil || !s.opt.IsPicture(picture)):
					return misuse("a picture's name ends in .svg or .png, not %s", picture)
				}
				return s.plot(ctx, args[0], cmp.Or(n, s.set.Samples, PlotSamples), interval, picture, w)
			}
		},
	}
}

func (s *Session) plot(ctx context.Context, expr string, samples int, interval time.Duration, picture string, w io.Writer) error {
	if s.fleet != nil {
		return query.Problemf("charts are of one host; :source host %s leaves the others", pmcd.Redact(s.name))
	}
	st, err := s.queryAll(ctx, s.over(expr, interval, samples))
	if err != nil {
		return err
	}
	s.noteExpanded(w, st.Used())
	if root := st.Exprs[0].Info.Root; !root.Type.Arithmetic() {
		return query.Problemf("the values are not numbers: %s", query.Metadata(root))
	}
	taken, err := s.Write(ctx, w, st, Form{Output: Chart, Picture: picture, Settings: &s.set})
	if errors.Is(err, context.Canceled) && taken > 0 {
		_ = s.noteLost(err)
		return nil // what there was has been drawn
	}
	return err
}

// cutPicture takes "> FILE" from the end of the argument of :plot, if the file is a picture: the sign
// may also be a relation.
func (s *Session) cutPicture(arg string) (rest, file string) {
	i := strings.LastIndexByte(arg, '>')
	if i < 0 || s.opt.IsPicture == nil {
		return arg, ""
	}
	if file = strings.TrimSpace(arg[i+1:]); !s.opt.IsPicture(file) {
		return arg, ""
	}
	return strings.TrimSpace(arg[:i]), file
}
