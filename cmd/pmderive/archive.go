package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/pmapi"
	"pmtools/lib/record"
)

// recordArchive writes the metrics that names stand for into an archive (--archive-out): recorded
// and derived ones alike, counters as counters.
func (a *app) recordArchive(ctx context.Context, f *evalFlags, set repl.Settings, names []string) (failed error) {
	for _, name := range names {
		if !syntax.LegalName(name) && !report.IsName(name) {
			return fmt.Errorf("--archive-out records metrics by their names: define %s in a file for -c", name)
		}
	}
	s, err := a.session(ctx, set)
	if err != nil {
		return err
	}
	x, err := a.expanded(ctx, s, names)
	if err == nil {
		names = x.Metrics()
	}
	q, failed := a.query(ctx, s, f, nil)
	s.Close()
	if err = cmp.Or(err, failed); err != nil {
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
		err := rec.Close()
		failed = cmp.Or(failed, err)
	}()
	ctx, stop := a.Env.Interruptible(ctx, os.Interrupt)
	defer stop()
	line, recorded := pmapi.As[pmapi.Timeline](src)
	if q.Once {
		q.Times.Samples = 1
	}
	switch {
	case !recorded:
		q.Times.Interval = cmp.Or(q.Times.Interval, query.DefaultInterval)
	case q.Once:
		q.Times.Start, _, _ = line.Bounds(ctx) // an error belongs to the end
	}
	if err = rec.Run(ctx, &q.Times); errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted: %s ends after %s", f.archive, query.Plural(int(rec.Samples()), "sample"))
	}
	return err
}
