package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"pmtools/lib/export"
)

func (a *app) newCompact() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "compact DIR",
		Short: "Merge the files of exported tables",
		Long: "Merge the files of the tables that export has written into DIR: those of a day, which --follow and\n" +
			"repeated exports leave, become few, sorted by metric, host, instance and time, of which engines read\n" +
			"little for a question about one metric. Exports and readers may run meanwhile, and a compaction that\n" +
			"is killed leaves the tables as they were, or merged.",
		Args: operands(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a.running = true
			done, err := export.Compact(cmd.Context(), args[0], dry)
			if done != nil && (err == nil || done.Dirs > 0) {
				for _, left := range done.Left {
					a.complain(fmt.Errorf("left as it is: %s", left))
				}
				fmt.Fprintln(a.Env.Out, done.Report(args[0], dry))
			}
			if err != nil {
				return err
			}
			return exitIf(len(done.Left) > 0)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be merged, and change nothing")
	return cmd
}
