package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"pmtools/cmd/internal/report"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/record"
	"pmtools/lib/sampling"
)

// connect opens the source. An archive that is of several machines is none: values are of all of them then.
func (e *evaluation) connect(ctx context.Context, s *Session, args []string) error {
	if s.fleet != nil && !report.Named(args) || s.recorded != nil {
		return nil
	}
	err := s.connect(ctx)
	if err == nil || s.kind != Archive {
		return err
	}
	machines := s.opt.Machines(ctx, s.name)
	if len(machines.Names) < 2 {
		return err // which says what is wrong
	}
	debug.SetGCPercent(200) // little is kept
	window := s.window(e.Time, false, func(err error) { s.complain(s.screen, err) })
	s.recorded = machines
	machines.Times = func(ctx context.Context, all *query.Span, t sampling.Times) (sampling.Times, error) {
		_, err := window.Limit(ctx, all, &t)
		return t, err
	}
	return nil
}

// asked returns the source that answers what the columns of reports are: the first one of several recordings that can be opened.
func (s *Session) asked(ctx context.Context) (src *query.Source, done func(), err error) {
	if s.recorded == nil {
		return s.src, func() {}, nil
	}
	for _, name := range s.recorded.Names {
		if src, err = s.recorded.Open(ctx, name); err == nil {
			return src, func() { src.Close() }, nil
		}
	}
	return nil, nil, err
}

// recordedInterval is that of samples of several recordings unless an option has another one.
const recordedInterval = 10 * time.Second

// Times makes the times of a query those that options ask for. Those of several hosts begin when the window does. A position
// in a recording is where a window begins, and its step the interval, unless the options have others. It is for what holds
// the Session.
func (s *Session) Times(ctx context.Context, o *option.Options, q *query.Query) error {
	if o.HasSamples && o.Samples == 0 {
		return errors.New("-s 0 asks for no samples")
	}
	q.Times.Interval, q.Times.Samples = o.Interval, o.Samples
	if s.recorded != nil {
		if !o.HasInterval { // records of several archives have no times in common
			q.Times.Interval = recordedInterval
		}
		return nil // the window is that of all
	}
	var line pmapi.Timeline
	if s.fleet == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
		line = s.src.Line
	}
	switch {
	case line == nil && o.HasInterval && o.Interval == 0:
		return errors.New("-t record is for archives: name one with -a")
	case line == nil && (o.HasStart || o.HasAlign || o.HasOrigin):
		return errors.New("time window options are supported for archives only")
	case line != nil && !o.HasStart && s.src.At != line.Origin():
		o.Start, o.HasStart = fmt.Sprintf("@%d.%09d", s.src.At.Sec, s.src.At.Nsec), true
	}
	if line != nil && !o.HasInterval {
		q.Times.Interval = s.src.Step
	}
	w, err := s.window(o, false, func(err error) { s.complain(s.screen, err) }).Limit(ctx, line, &q.Times)
	if err != nil {
		return err
	}
	if s.opt.Waits != nil {
		s.opt.Waits()
	}
	if s.fleet != nil {
		select {
		case <-time.After(w.Origin.Sub(s.opt.Now())):
		case <-ctx.Done():
		}
	}
	return nil
}

// record writes the metrics that names stand for into an archive (--archive-out): recorded
// and derived ones alike, counters as counters.
func (e *evaluation) record(ctx context.Context, s *Session, names []string, w io.Writer) (failed error) {
	for _, name := range names {
		if !syntax.LegalName(name) && !report.IsName(name) {
			return fmt.Errorf("--archive-out records metrics by their names: define %s in a file for -c", name)
		}
	}
	if report.Named(names) {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	x, err := e.expand(ctx, s, s.src, names, w)
	if err != nil {
		return err
	}
	q, err := e.query(ctx, s)
	if err != nil {
		return err
	}
	src, err := s.opt.Derived(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	rec, err := record.NewRecorder(ctx, src, e.archive, x.Metrics(), nil)
	if err != nil {
		return err
	}
	defer func() {
		err := rec.Close()
		failed = cmp.Or(failed, err)
	}()
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
	err = rec.Run(ctx, &q.Times)
	switch {
	case rec.Samples() == 0 && ctx.Err() != nil:
		return ctx.Err() // there is no archive
	case errors.Is(err, context.Canceled):
		err = fmt.Errorf("interrupted: %s ends after %s", e.archive, textwidth.Plural(int(rec.Samples()), "sample"))
	}
	return err
}
