package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/grid"
	"pmtools/derive/query"
	"pmtools/derive/repl"
	"pmtools/derive/summary"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
)

type summarizeFlags struct {
	form.Numbers
	numbers       repl.Numbers
	output, every string
	raw           bool
	options       summary.Options
	order         summary.Order
}

// summarizeOutputs are the forms of output.
var summarizeOutputs = []string{"table", "csv", "json"}

func (a *app) newSummarize() *cobra.Command {
	f := &summarizeFlags{}
	cmd := &cobra.Command{
		Use:   "summarize [METRIC|EXPR ...]",
		Short: "Summarize an archive: extremes, means and quantiles of each metric",
		Long: "Summarize the records of an archive: for each metric the number of samples, the extremes, the mean\n" +
			"over time, quantiles. A name that has metrics below it stands for them. Without arguments, all\n" +
			"metrics with numeric values are summarized. Counters are converted to rates.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(f.Read(&f.numbers), form.CheckOutput(f.output, summarizeOutputs), f.check(cmd.Flags())); err != nil {
				return err
			}
			return a.summarize(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "align", "origin")
	form.AddOutputs(fs, &f.output, summarizeOutputs, "json")
	fs.BoolVar(&f.options.Instances, "instances", false, "summarize each instance too")
	fs.IntVar(&f.order.Top, "top", 0, "summarize the `N` instances of each metric with the largest values of --by")
	fs.StringVar(&f.order.By, "by", summary.Ranks()[0], "`NUMBER` that ranks instances: "+strings.Join(summary.Ranks(), ", "))
	fs.StringVar(&f.order.Sort, "sort", "", "`COLUMN` that rows are sorted by: "+strings.Join(summary.Sorts(), ", "))
	fs.StringVar(&f.every, "every", "", "summarize each interval of so much `TIME`")
	fs.BoolVarP(&f.raw, "raw", "r", false, "show counters as they are (no rate conversion)")
	f.Numbers.Add(fs)
	return cmd
}

// check checks the options about rows.
func (f *summarizeFlags) check(fs *pflag.FlagSet) (err error) {
	switch {
	case f.order.Top < 0 || f.order.Top == 0 && fs.Changed("top"):
		return errors.New("--top requires a number of instances, 1 or more")
	case fs.Changed("by") && f.order.Top == 0:
		return errors.New("--by requires --top N: the number of instances that are shown")
	case !slices.Contains(summary.Ranks(), f.order.By):
		return fmt.Errorf("unknown --by '%s'; there are %s", f.order.By, strings.Join(summary.Ranks(), ", "))
	case f.order.Sort != "" && !slices.Contains(summary.Sorts(), f.order.Sort):
		return fmt.Errorf("unknown --sort '%s'; there are %s", f.order.Sort, strings.Join(summary.Sorts(), ", "))
	case fs.Changed("every"):
		if f.options.Every, err = when.ParseInterval(f.every); err != nil || f.options.Every < time.Millisecond {
			return fmt.Errorf("--every %s is not a time such as 10min", f.every)
		}
	}
	f.options.Instances = f.options.Instances || f.order.Top > 0
	return nil
}

func (a *app) summarize(ctx context.Context, f *summarizeFlags, args []string) error {
	a.running = true
	if !a.Options.HasArchive {
		return errors.New("only archives can be summarized: name one with -a ARCHIVE; 'eval --archive-out BASE' records one")
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	d, h, err := a.summary(ctx, s, f.options, args, f.raw)
	if err != nil {
		return err
	}
	h.Intervals, h.Change = f.options.Every > 0, f.order.By == "change" || f.order.Sort == "change"
	rows := f.order.Rows(d.Rows(d.InstanceName))
	switch f.output {
	case "csv":
		err = summary.WriteCSV(a.Env.Out, h, rows, f.numbers.Full)
	case "json":
		err = summary.WriteJSON(a.Env.Out, h, d.Summary, rows)
	default:
		width, _ := cli.TerminalSize(a.Env.Stdout)
		err = grid.Draw(ctx, a.Env.Out, h.Table(rows, f.numbers.Form(), f.options.Instances), width)
	}
	return cmp.Or(err, h.Err)
}

// summary summarizes the window that the options ask for. Its head has an error if something is missing.
func (a *app) summary(ctx context.Context, s *repl.Session, opt summary.Options, exprs []string, raw bool) (*query.Digest, *summary.Head, error) {
	q, err := a.query(ctx, s, &evalFlags{several: true}, nil)
	if err != nil {
		return nil, nil, err
	}
	q.Exprs, q.Raw = exprs, raw
	if !a.Options.HasFinish {
		q.Times.End = pcp.Timestamp{} // the end is where records end
	}
	d, from, failed := s.Summarize(ctx, q, opt)
	if d == nil || failed != nil && len(d.Metrics) == 0 {
		return nil, nil, failed
	}
	return d, &summary.Head{Source: summary.Source(from), Zone: s.Zone(), Err: failed}, nil
}
