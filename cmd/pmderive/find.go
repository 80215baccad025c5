package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/repl"
)

// newFind returns the command that finds metrics.
func (a *app) newFind() *cobra.Command {
	set := &repl.Settings{}
	cmd := a.newAbout("find", set, &cobra.Command{
		Use:   "find WORD ...",
		Short: "Find metrics by words about them",
		Long: "Find metrics by words in their names, help texts, instances, labels and definitions. Other forms of a\n" +
			"word and synonyms count too. The best matches come first, with an example value and why they match.",
	})
	cmd.Flags().IntVar(&set.Top, "top", 15, "show the `N` best matches")
	return cmd
}

// newDescribe returns the command that describes metrics.
func (a *app) newDescribe() *cobra.Command {
	return a.newAbout("describe", &repl.Settings{}, &cobra.Command{
		Use:   "describe NAME ...",
		Short: "Show all about a metric",
		Long: "Show texts, type, instances, labels, values and rates of a metric, what it is made of, the definitions\n" +
			"that use it, when an archive has it, and expressions to try. A name that has metrics below it lists them.",
		ValidArgsFunction: a.completeExpr,
	})
}

// newReports returns the command that lists reports.
func (a *app) newReports() *cobra.Command {
	return a.newAbout("reports", &repl.Settings{}, &cobra.Command{
		Use:   "reports [NAME ...]",
		Short: "List the reports, or the columns of some",
		Long: "List the reports that eval, deps, summarize and others take as :NAME, and where each comes from, or the\n" +
			"columns of those of names. Reports are those of pmrep.conf(5) on this machine, or of --config, and a few\n" +
			"that need no file.",
		Args: cobra.ArbitraryArgs,
	})
}

// newAbout completes a command that runs an item of the prompt which answers questions about metrics.
func (a *app) newAbout(item string, set *repl.Settings, cmd *cobra.Command) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = operands(1, math.MaxInt)
	}
	cmd.ValidArgsFunction = a.completeAfter(":" + item + " ")
	cmd.Flags().SortFlags = false
	form.AddOutputs(cmd.Flags(), &set.Output, digest.Outputs(), "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := form.CheckOutput(set.Output, digest.Outputs()); err != nil {
			return err
		}
		a.running = true
		s, err := a.session(cmd.Context(), *set)
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Run(cmd.Context(), ":"+item+" "+strings.Join(args, " "), a.Env.Out)
	}
	return cmd
}
