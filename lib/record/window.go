package record

import (
	"context"
	"errors"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Window bounds the samples of a Recorder.
type Window struct {
	Timed    bool          // several samples; otherwise one, the first of an archive
	Start    pcp.Timestamp // of an archive
	End      pcp.Timestamp // if HasEnd
	HasEnd   bool
	Interval time.Duration // between samples
	Samples  int           // at most; 0 for no bound
}

// Window takes the samples of a window from the source of the Recorder. The end of an archive, and of
// ctx between samples of a live source, ends it without an error.
func (r *Recorder) Window(ctx context.Context, src pmapi.Source, win *Window) error {
	w := *win
	if !w.Timed {
		w.Samples = 1
	}
	if line, ok := pmapi.As[pmapi.Timeline](src); ok {
		return r.archived(ctx, line, &w)
	}
	return r.live(ctx, &w)
}

// archived takes samples of an archive, with the values between its records.
func (r *Recorder) archived(ctx context.Context, line pmapi.Timeline, w *Window) error {
	at := w.Start
	if !w.Timed {
		at, _, _ = line.Bounds(ctx) // an error is that of the end
	}
	if err := line.SetMode(pcp.Interp, &at, w.Interval); err != nil {
		return err
	}
	for n := 0; w.Samples == 0 || n < w.Samples; n++ {
		if w.HasEnd && at.Compare(w.End) > 0 {
			return nil
		}
		if err := r.Sample(ctx); errors.Is(err, pmerr.EOL) {
			return nil
		} else if err != nil {
			return err
		}
		at = at.Add(w.Interval)
	}
	return nil
}

// live takes samples as time passes.
func (r *Recorder) live(ctx context.Context, w *Window) error {
	ticker := time.NewTicker(w.Interval)
	defer ticker.Stop()
	for n := 0; w.Samples == 0 || n < w.Samples; n++ {
		if n > 0 {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return nil
			}
		}
		if w.HasEnd && pcp.TimestampOf(time.Now()).Compare(w.End) > 0 {
			return nil
		}
		if err := r.Sample(ctx); err != nil {
			return err
		}
	}
	return nil
}
