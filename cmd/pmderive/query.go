package main

import (
	"context"
	"errors"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// machines returns what samples the recordings of several machines.
func (a *app) machines(ctx context.Context) *query.Recordings {
	return &query.Recordings{
		Workers: a.exportWorkers(),
		Report:  func(name string, err error) { a.complainAbout(ctx, name, err) },
		Open: func(ctx context.Context, name string) (*query.Source, error) {
			src, err := a.sources.OpenArchive(ctx, name)
			if err != nil {
				return nil, err
			}
			x := query.NewSource(src)
			x.Equivalent = a.sources.Equivalence()
			return x, nil
		},
	}
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
