package main

import (
	"context"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/push"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
)

func (a *app) newPush() *cobra.Command {
	o, f := &push.Options{}, &repl.Fleet{}
	cmd := &cobra.Command{
		Use:   "push --to URL METRIC|NAME=EXPR ...",
		Short: "Send values to a time series database by Prometheus's remote write",
		Long: "Send values to a database that takes Prometheus's remote write: the records of\n" +
			"an archive, or with -t its values at those intervals, with their own times; of live\n" +
			"sources the values of every interval, until Ctrl-C. Values that the database cannot\n" +
			"take for a time wait on disk.",
		Args:              operands(1, math.MaxInt),
		ValidArgsFunction: a.completeExpr,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.pushAll(cmd.Context(), o, f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "align", "origin", "interval", "samples")
	o.AddFlags(fs)
	fs.StringVar(&f.File, "hosts", "", "read hosts from `FILE`, one per line or in Prometheus's JSON, and watch it; - is standard input")
	_ = cmd.MarkFlagRequired("to") // the flag exists
	return cmd
}

func (a *app) pushAll(ctx context.Context, o *push.Options, f *repl.Fleet, args []string) error {
	p, err := push.New(o, a.Env, a.Options.HasArchive, a.Options.Interval)
	if err != nil {
		return err
	}
	fixed := slices.Clone(a.hosts)
	if _, err := a.several(f, ""); err != nil {
		return err
	}
	if len(a.hosts) > 0 { // one alone counts as several: its connection is made again if it is lost
		p.Watch = p.NewWatch(fixed, a.listed, f.File)
	}
	a.running = true
	return p.Run(ctx, func(ctx context.Context) error { return a.produce(ctx, p, args) })
}

// produce hands the samples of expressions to a push.
func (a *app) produce(ctx context.Context, p *push.Push, args []string) error {
	s, err := a.session(ctx, repl.Settings{Pace: repl.Pace{Interval: a.Options.Interval}}, overHosts(a.hosts), p.Label)
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
	return a.sample(ctx, s, q, func(st *query.Stream) error {
		_, err := st.Write(ctx, p.Begin)
		return err
	})
}
