package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"

	"pmtools/derive/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/record"
)

// recordArchive writes the metrics that names stand for into an archive (--archive-out): recorded
// and derived ones alike, counters as counters.
func (a *app) recordArchive(ctx context.Context, f *evalFlags, set repl.Settings, names []string) (failed error) {
	for _, name := range names {
		if !syntax.LegalName(name) {
			return fmt.Errorf("--archive-out records metrics by their names: define %s in a file for -c", name)
		}
	}
	s, err := a.session(ctx, set)
	if err != nil {
		return err
	}
	win, err := a.window(ctx, s, f)
	s.Close()
	if err != nil {
		return err
	}
	src, err := a.sources.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	rec, err := record.NewRecorder(ctx, src, f.archive, names, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err := rec.Close(); failed == nil {
			failed = err
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return rec.Window(ctx, src, &record.Window{
		Timed: win.Timed, Start: win.Start, End: win.End, HasEnd: win.HasEnd,
		Interval: cmp.Or(win.Interval, repl.DefaultInterval), Samples: win.Samples,
	})
}
