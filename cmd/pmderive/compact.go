package main

import (
	"context"
	"fmt"
	"io"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/export"
)

func newCompact(complain func(error)) *repl.Verb {
	return &repl.Verb{
		Name: "compact", Usage: "DIR", Short: "Merge the files of exported tables",
		Long: "Merge the files of the tables that export has written into DIR: those of a day, which --follow and\n" +
			"repeated exports leave, become few, sorted by metric, host, instance and time, of which engines read\n" +
			"little for a question about one metric. Exports and readers may run meanwhile, and a compaction that\n" +
			"is killed leaves the tables as they were, or merged.",
		Doors: repl.Shell, Least: 1, Most: 1, Files: true,
		New: func(f *repl.Flags) repl.Run {
			dry := f.Bool("dry-run", false, "say what would be merged, and change nothing")
			return func(ctx context.Context, _ *repl.Session, args []string, w io.Writer) error {
				done, err := export.Compact(ctx, args[0], *dry)
				if done != nil && (err == nil || done.Dirs > 0) {
					for _, left := range done.Left {
						complain(fmt.Errorf("left as it is: %s", left))
					}
					fmt.Fprintln(w, done.Report(args[0], *dry))
				}
				if err != nil {
					return err
				}
				return exitIf(len(done.Left) > 0)
			}
		},
	}
}
