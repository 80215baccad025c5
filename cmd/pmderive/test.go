package main

import (
	"math"
	"os"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cases"
	"pmtools/cmd/internal/form"
	"pmtools/derive/derivetest"
)

func (a *app) newTest() *cobra.Command {
	o := new(cases.Options)
	cmd := &cobra.Command{
		Use:   "test FILE|DIR ...",
		Short: "Try derived metrics on values of your choice",
		Long: "Run the cases in files (in directories: those that end in " + derivetest.Suffix + "). A case states the\n" +
			"values of derived metrics for given values. The status is 0 if all cases pass, 1 if some fail,\n" +
			"2 if files cannot be used.",
		Args: operands(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := form.CheckOutput(o.Output, cases.Outputs()); err != nil {
				return err
			}
			opt := &derivetest.Options{Definitions: o.Definitions, Keep: o.Keep, Equivalent: a.sources.Equivalence(), Language: a.language()}
			if o.Run != "" {
				var err error
				if opt.Run, err = regexp.Compile(o.Run); err != nil {
					return err
				}
			}
			a.running = true
			ctx, stop := a.Env.Interruptible(cmd.Context(), os.Interrupt, syscall.SIGTERM) // temporary archives are removed then
			defer stop()
			return cases.Run(ctx, a.Env, o, opt, args)
		},
	}
	cmd.Flags().SortFlags = false
	o.Add(cmd.Flags())
	return cmd
}
