package main

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/push"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
)

func (a *app) newPush() *repl.Verb {
	return &repl.Verb{
		Name: "push", Usage: "--to URL|--dry-run METRIC|NAME=EXPR ...", Short: "Send values to a time series database by Prometheus's remote write",
		Long: "Send values to a database that takes Prometheus's remote write: the records of\n" +
			"an archive, or with -t its values at those intervals, with their own times; of live\n" +
			"sources the values of every interval, until Ctrl-C. Values that the database cannot\n" +
			"take for a time wait on disk.",
		Doors: repl.Shell, Least: 1, Most: math.MaxInt, Complete: repl.OfExprs,
		New: func(fs *repl.Flags) repl.Run {
			o, f := &push.Options{}, &repl.Fleet{}
			fs.Shared("start", "finish", "align", "origin", "interval", "samples")
			o.AddFlags(fs.FlagSet)
			fs.StringVar(&f.File, "hosts", "", "read hosts from `FILE`, one per line or in Prometheus's JSON, and watch it; - is standard input")
			return func(ctx context.Context, _ *repl.Session, args []string, _ io.Writer) error {
				p, err := a.pusher(o, f)
				if err != nil {
					return repl.Misuse{Err: err}
				}
				if o.DryRun && !a.Options.HasArchive && !a.Options.HasSamples {
					a.Options.Samples, a.Options.HasSamples = 1, true
				}
				return p.Run(ctx, func(ctx context.Context) error { return a.produce(ctx, p, args) })
			}
		},
	}
}

// pusher returns what sends the values of the hosts that options name.
func (a *app) pusher(o *push.Options, f *repl.Fleet) (*push.Push, error) {
	p, err := push.New(o, a.Env, a.Options.HasArchive, a.Options.Interval)
	if err != nil {
		return nil, err
	}
	fixed := slices.Clone(a.hosts)
	if _, err := a.several(f, ""); err != nil {
		return nil, err
	}
	if len(a.hosts) > 0 { // one alone counts as several: its connection is made again if it is lost
		p.Watch = p.NewWatch(fixed, a.listed, f.File)
	}
	return p, nil
}

// produce hands the samples of expressions to a push.
func (a *app) produce(ctx context.Context, p *push.Push, args []string) error {
	s, err := a.session(ctx, repl.Settings{Pace: repl.Pace{Interval: a.Options.Interval}}, func(o *repl.Options) {
		o.Hosts = a.hosts
		p.Label(o)
	})
	if err != nil {
		return err
	}
	defer s.Close()
	q := &query.Query{Exprs: args, Expand: true, Raw: true}
	if err := s.Times(ctx, &a.Options, q); err != nil {
		return err
	}
	if p.Watch != nil {
		q.Watcher = p.Watch
	}
	err = s.Hold(ctx, func() error {
		st, err := s.Query(ctx, q)
		if err != nil {
			return err
		}
		_, err = st.Write(ctx, p.Begin)
		return errors.Join(st.Err, err)
	})
	switch {
	case errors.Is(err, query.ErrHosts):
		return cli.Exit(1) // each of them has said why
	case ctx.Err() != nil: // an interrupt is how samples over time end
		return nil
	}
	return err
}
