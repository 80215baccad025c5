package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/repl"
	"pmtools/lib/export"
	"pmtools/lib/option"
)

// digestFlags are the options about the form of the answer to a question about windows.
type digestFlags struct {
	form.Numbers
	digest.Form
}

// add adds the options, and those of the question.
func (f *digestFlags) add(fs *pflag.FlagSet, question func(*option.Table)) {
	var t option.Table
	question(&t)
	for o := range t.All() {
		fs.AddFlag(command.Flag(o))
	}
	form.AddOutputs(fs, &f.Output, digest.Outputs(), "json")
	f.Numbers.Add(fs)
}

// ask asks a question. A failure that has been reported is only a status.
func (a *app) ask(ctx context.Context, q digest.Question, f *digestFlags, change ...func(*repl.Options)) error {
	var numbers repl.Numbers
	if err := f.Numbers.Read(&numbers); err != nil {
		return err
	}
	f.Form.Numbers = numbers.Form()
	if err := form.CheckOutput(f.Output, digest.Outputs()); err != nil {
		return err
	}
	a.running = true
	s, err := a.session(ctx, repl.Settings{}, change...)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := a.Env.Interruptible(ctx, os.Interrupt)
	defer stop()
	err = s.Ask(ctx, q, f.Form, a.Env.Out)
	if errors.Is(err, digest.ErrReported) || errors.Is(err, digest.ErrOver) {
		return cli.Exit(1)
	}
	return err
}

// summaryPercent is how much the heap may grow between collections while an archive is summarized. Nearly all
// that is allocated, some kilobytes for each metric, is needed until the end.
const summaryPercent = 400

func (a *app) newSummarize() *cobra.Command {
	f, q := &digestFlags{}, &digest.Summarize{Options: &a.Options}
	cmd := &cobra.Command{
		Use:   "summarize [METRIC|EXPR|:REPORT ...]",
		Short: "Summarize an archive: extremes, means and quantiles of each metric",
		Long: "Summarize the records of an archive: for each metric the number of samples, the extremes, the mean\n" +
			"over time, quantiles. A name that has metrics below it stands for them. Without arguments, all\n" +
			"metrics with numeric values are summarized. Counters are converted to rates.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.Check(); err != nil {
				return err
			}
			if !a.Options.HasArchive {
				a.running = true
				return errors.New("only archives can be summarized: name one with -a ARCHIVE; 'eval --archive-out BASE' records one")
			}
			q.Exprs = args
			q.Split = func(ctx context.Context) ([]string, error) {
				sets, err := export.Recordings(ctx, a.Options.Archive)
				return slices.Concat(sets...), err
			}
			debug.SetGCPercent(summaryPercent)
			return a.ask(cmd.Context(), q, f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "align", "origin")
	f.add(fs, q.Add)
	return cmd
}
