package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/export"
	"pmtools/lib/export/bucket"
)

func newExpire(complain func(error)) *repl.Verb {
	return &repl.Verb{
		Name: "expire", Usage: "--before DATE DIR", Short: "Remove old dates from exported tables",
		Long: "Remove the rows of all dates before one from the tables that export has written into DIR, or s3://BUCKET/PREFIX,\n" +
			"and what only these dates need. The tables still know what was exported: the same archives add nothing, and\n" +
			"dates that were removed do not come back. Exports and readers may run meanwhile, and after a run that is\n" +
			"killed the next one, or the next export of the host, does the rest.",
		Doors: repl.Shell, Least: 1, Most: 1, Files: true,
		New: func(f *repl.Flags) repl.Run {
			before := f.String("before", "", "the first `DATE` that stays, as 2024-05-06, in UTC")
			dry := f.Bool("dry-run", false, "say what would be removed, and change nothing")
			return func(ctx context.Context, _ *repl.Session, args []string, w io.Writer) error {
				date, err := time.Parse(time.DateOnly, *before)
				if err != nil {
					return repl.Misuse{Err: errors.New("expire needs --before DATE, the first date that stays, as 2024-05-06")}
				}
				store, err := bucket.Store(args[0])
				if err != nil {
					return err
				}
				done, err := export.Expire(ctx, store, date, *dry)
				if err != nil {
					return err
				}
				for _, left := range done.Left {
					complain(fmt.Errorf("left as it is: %s", left))
				}
				fmt.Fprintln(w, done.Report(args[0], date, *dry))
				return exitIf(len(done.Left) > 0)
			}
		},
	}
}
