package main

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/export"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// recordings makes a session one over the recordings of several machines, if the archives are such.
func (a *app) recordings(ctx context.Context, s *repl.Session, f *evalFlags, args []string) error {
	if !a.Options.HasArchive {
		return nil
	}
	if _, err := s.Source(ctx); err == nil {
		return nil
	}
	sets, _ := export.Recordings(ctx, a.Options.Archive)
	names := slices.Sorted(slices.Values(slices.Concat(sets...)))
	switch {
	case len(names) < 2:
		return nil // the error of the source says what is wrong
	case f.plot != "" || f.Settings.Output == "openmetrics" || report.Named(args):
		return errors.New("reports, --plot and openmetrics are for one host: name its archive with -a")
	}
	debug.SetGCPercent(200) // little is kept
	f.machines = &query.Recordings{Names: names, Workers: a.exportWorkers(), Report: func(name string, err error) { a.complainAbout(ctx, name, err) }}
	f.machines.Open = func(ctx context.Context, name string) (*query.Source, error) {
		src, err := a.sources.OpenArchive(ctx, name)
		if err != nil {
			return nil, err
		}
		x := query.NewSource(src)
		x.Equivalent = a.sources.Equivalence()
		return x, nil
	}
	f.machines.Times = func(ctx context.Context, src *query.Source, t sampling.Times) (sampling.Times, error) {
		_, err := a.window(s.Zone()).Limit(ctx, src.Line, &t)
		return t, err
	}
	s.UseRecordings(f.machines)
	return nil
}

// query returns the query that the options ask for, but for its expressions. For several hosts it
// begins when their window does.
func (a *app) query(ctx context.Context, s *repl.Session, f *evalFlags, hosts []string) (*query.Query, error) {
	o := &a.Options
	q := &query.Query{Expand: true, Select: f.pick, Across: f.across, All: f.all}
	timed := o.HasStart || o.HasFinish || o.HasAlign || o.HasOrigin || o.HasInterval || o.HasSamples || f.delay || f.plot != "" || f.several
	if q.Once = !timed; q.Once {
		return q, nil
	}
	if o.HasSamples && o.Samples == 0 {
		return nil, errors.New("-s 0 asks for no samples")
	}
	q.Times.Interval, q.Times.Samples, q.Times.Delay = o.Interval, o.Samples, f.delay
	if f.machines != nil {
		return q, nil // each has a window of its own
	}
	var line pmapi.Timeline
	if hosts == nil {
		src, err := s.Source(ctx)
		if err != nil {
			return nil, err
		}
		line = src.Line
	}
	if line == nil && o.HasInterval && o.Interval == 0 {
		return nil, errors.New("-t record is for archives: name one with -a")
	}
	w, err := a.window(s.Zone()).Limit(ctx, line, &q.Times)
	if err != nil {
		return nil, err
	}
	if f.plot != "" && q.Times.Samples == 0 && w.End.IsZero() {
		q.Times.Samples = repl.PlotSamples
	}
	a.Env.Waits()
	if hosts != nil {
		select {
		case <-time.After(w.Origin.Sub(a.Env.Now())):
		case <-ctx.Done():
		}
	}
	return q, nil
}

// expanded returns arguments with the columns of reports in the place of their names.
// Times that a report asks for hold unless the options have them.
func (a *app) expanded(ctx context.Context, s *repl.Session, args []string) (x report.Expansion, err error) {
	if !report.Named(args) {
		return report.Expansion{Exprs: args, Plain: args}, nil
	}
	src, err := s.Source(ctx)
	if err != nil {
		return x, err
	}
	if x, err = a.expand(ctx, src, args); err != nil {
		return x, err
	}
	o := &a.Options
	if d, ok := x.Interval(); ok && !o.HasInterval && (d > 0 || src.Line != nil) {
		o.Interval, o.HasInterval = d, true
	}
	if n := x.Samples(); n > 0 && !o.HasSamples {
		o.Samples, o.HasSamples = n, true
	}
	return x, nil
}

// expand puts the columns of reports that fit a source in the place of their names, and tells which are left out.
func (a *app) expand(ctx context.Context, src *query.Source, args []string) (report.Expansion, error) {
	x, err := a.reports.Expand(ctx, src, a.sources.Set(), args)
	for _, p := range x.Left {
		a.complain(p)
	}
	return x, err
}

// window returns the window that the options ask for. A doubt about it is reported once.
func (a *app) window(zone *time.Location) *query.Window {
	return &query.Window{Options: &a.Options, Now: a.Env.Now(), Zone: zone, Note: func(p *diagnose.Problem) {
		if !a.noted {
			a.noted = true
			a.complain(p)
		}
	}}
}

// sample hands the samples of a query to what takes them. Expressions that are wrong do not keep the
// others from being evaluated. An interrupt is how samples over time end.
func (a *app) sample(ctx context.Context, s *repl.Session, q *query.Query, take func(*query.Stream) error) error {
	st, err := s.Query(ctx, q)
	if err == nil {
		if err = take(st); st.Err != nil {
			err = errors.Join(st.Err, err)
		}
	}
	switch {
	case errors.Is(err, query.ErrHosts), errors.Is(err, query.ErrRecordings):
		return cli.Exit(1) // each of them has said why
	case !q.Once && ctx.Err() != nil:
		return nil
	}
	return err
}
