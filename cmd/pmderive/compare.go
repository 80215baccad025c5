package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/grid"
	"pmtools/derive/repl"
	"pmtools/derive/summary"
)

type compareFlags struct {
	form.Numbers
	numbers    repl.Numbers
	output     string
	start, end string // of the second window
	metrics    []string
	limit      summary.Limit
	fail       float64
	failing    bool
	other      bool // there is a second window
}

func (a *app) newCompare() *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare ARCHIVE [ARCHIVE]",
		Short: "Compare two archives, or two windows of one: what changed most",
		Long: "Compare the metrics of two archives, or of two windows of one (-S and -T, --with-S and --with-T): means,\n" +
			"quantiles and extremes of each instance, counters as rates. The largest changes come first.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := operands(1, 2)(cmd, args); err != nil {
				return err
			}
			if a.Options.HasArchive || len(a.hosts) > 0 || a.Options.Local {
				return errors.New("compare takes archives as arguments, without -a, -h or -L")
			}
			a.Options.Archive, a.Options.HasArchive = args[0], true // the window is one of an archive
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(f.Read(&f.numbers), form.CheckOutput(f.output, summarizeOutputs), f.check(cmd.Flags(), args)); err != nil {
				return err
			}
			a.running = true
			return a.compare(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish")
	fs.StringVar(&f.start, "with-S", "", "start of the second window at `TIME`")
	fs.StringVar(&f.end, "with-T", "", "end of the second window at `TIME`")
	fs.StringArrayVar(&f.metrics, "metrics", nil, "compare `METRIC`, those below it, or an expression (may be repeated)")
	fs.Float64Var(&f.limit.Threshold, "threshold", 1, "leave out what has a smaller `SCORE`")
	fs.IntVar(&f.limit.Top, "top", 0, "show the `N` largest changes; 0 for all (default 20 in a table)")
	fs.Float64Var(&f.fail, "fail-over", 0, "the status is 1 if a score is larger than `SCORE`")
	form.AddOutputs(fs, &f.output, summarizeOutputs, "json")
	f.Numbers.Add(fs)
	return cmd
}

// check checks the options.
func (f *compareFlags) check(fs *pflag.FlagSet, args []string) error {
	f.other, f.failing = fs.Changed("with-S") || fs.Changed("with-T"), fs.Changed("fail-over")
	switch {
	case len(args) == 1 && !f.other:
		return errors.New("compare requires a second archive, or a second window: --with-S TIME, --with-T TIME")
	case f.limit.Top < 0:
		return errors.New("--top requires a number of changes, or 0 for all")
	case !(f.limit.Threshold >= 0):
		return errors.New("--threshold requires a score of 0 or more")
	case f.failing && !(f.fail >= 0):
		return errors.New("--fail-over requires a score of 0 or more")
	}
	if !fs.Changed("top") && f.output == "table" {
		f.limit.Top = 20
	}
	return nil
}

func (a *app) compare(ctx context.Context, f *compareFlags, args []string) error {
	one, rowsA, err := a.digest(ctx, f, args[0])
	if err != nil {
		return err
	}
	if o := &a.Options; f.other {
		o.Start, o.HasStart, o.Finish, o.HasFinish = f.start, f.start != "", f.end, f.end != ""
	}
	two, rowsB, err := a.digest(ctx, f, args[len(args)-1])
	if err != nil {
		return err
	}
	if one.Err != nil {
		a.complain(one.Err)
	}
	if two.Err != nil && (one.Err == nil || one.Err.Error() != two.Err.Error()) {
		a.complain(two.Err)
	}
	c := summary.Compare(rowsA, rowsB, f.limit)
	switch f.output {
	case "csv":
		err = c.WriteCSV(a.Env.Out, f.numbers.Full)
	case "json":
		err = c.WriteJSON(a.Env.Out, one, two)
	default:
		if err = c.Before(a.Env.Out, one, two); err != nil {
			return err
		}
		width, _ := cli.TerminalSize(a.Env.Stdout)
		if t := c.Table(f.numbers.Form()); len(t.Rows) > 0 {
			err = grid.Draw(ctx, a.Env.Out, t, width)
		}
		err = cmp.Or(err, c.After(a.Env.Out))
	}
	return cmp.Or(err, exitIf(one.Err != nil || two.Err != nil || f.failing && c.Largest > f.fail))
}

// digest summarizes each instance of an archive in the window of the options. The head has
// an error if something is missing.
func (a *app) digest(ctx context.Context, f *compareFlags, name string) (*summary.Window, []summary.Row, error) {
	a.Options.Archive = name
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	d, h, err := a.summary(ctx, s, summary.Options{Instances: true}, f.metrics, false)
	if err != nil {
		return nil, nil, err
	}
	rows := d.Rows(d.InstanceName)
	d.Forget()
	return &summary.Window{Head: h, Summary: d.Summary}, rows, nil
}
