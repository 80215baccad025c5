package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"pmtools/derive/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
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
	if line, ok := pmapi.As[pmapi.Timeline](src); ok {
		return recordWindow(ctx, rec, line, win)
	}
	return recordLive(ctx, rec, win)
}

// recordWindow records what an archive has in the window.
func recordWindow(ctx context.Context, rec *record.Recorder, line pmapi.Timeline, win *repl.Window) error {
	at, step := win.Start, win.Interval
	if !win.Timed {
		at, _, _ = line.Bounds(ctx) // which the window has asked for
		step, win.Samples = repl.DefaultInterval, 1
	}
	if err := line.SetMode(pcp.Interp, &at, step); err != nil {
		return err
	}
	for n := 0; win.Samples == 0 || n < win.Samples; n++ {
		if win.HasEnd && at.Compare(win.End) > 0 {
			return nil
		}
		if err := rec.Sample(ctx); errors.Is(err, pmerr.EOL) {
			return nil
		} else if err != nil {
			return err
		}
		at = at.Add(step)
	}
	return nil
}

// recordLive records what comes, until the window ends or somebody interrupts.
func recordLive(ctx context.Context, rec *record.Recorder, win *repl.Window) error {
	if !win.Timed {
		win.Samples = 1
	}
	if win.Interval == 0 {
		win.Interval = repl.DefaultInterval
	}
	ticker := time.NewTicker(win.Interval)
	defer ticker.Stop()
	for n := 0; win.Samples == 0 || n < win.Samples; n++ {
		if n > 0 {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return nil
			}
		}
		if win.HasEnd && pcp.TimestampOf(time.Now()).Compare(win.End) > 0 {
			return nil
		}
		if err := rec.Sample(ctx); err != nil {
			return err
		}
	}
	return nil
}
