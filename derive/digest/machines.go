package digest

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"slices"
	"sync"

	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/internal/ordered"
)

// This file summarizes the recordings of several machines, some at a time, and writes them in their order.

// several summarizes the recordings of each machine. Those that fail are reported.
func (s *Summarize) several(ctx context.Context, env *Env, w io.Writer, names []string) error {
	slices.Sort(names)
	shared := env.shared()
	answer := &answers{env: env, w: w}
	failed := false
	digest := func(_ context.Context, i int, yield func(*digested) bool) { yield(s.digest(ctx, shared, names[i])) }
	for d := range ordered.Tasks(ctx, len(names), runtime.GOMAXPROCS(0), 1, digest) {
		if ctx.Err() != nil {
			break
		}
		if d.err == nil {
			if err := answer.add(d); err != nil {
				return err
			}
			d.err = d.head.Err
		}
		if d.err != nil {
			shared.Note(d.err)
			failed = true
		}
	}
	err := answer.end(context.WithoutCancel(ctx))
	if err == nil && failed {
		return ErrReported
	}
	return cmp.Or(err, ctx.Err())
}

// digest summarizes one recording.
func (s *Summarize) digest(ctx context.Context, env *Env, name string) *digested {
	one := &side{Side: Side{Kind: env.Sides[0].Kind, Name: name}, from: name}
	var err error
	if one.Source, err = env.Open(ctx, one.Side); err != nil {
		return &digested{err: one.problem(err)}
	}
	defer one.Close() // it has been read
	d := s.summarize(ctx, env, one)
	if d.err != nil {
		return &digested{err: one.problem(d.err)}
	}
	d.head.Hosts = true
	d.Forget() // there may be thousands
	for i := range d.rows {
		d.rows[i].Host = d.head.Source.Host
	}
	if d.head.Err != nil {
		d.head.Err = one.problem(d.head.Err)
	}
	return d
}

// shared returns an Env for several goroutines.
func (env *Env) shared() *Env {
	var mu sync.Mutex
	e := *env
	e.Open = func(ctx context.Context, side Side) (*query.Source, error) {
		mu.Lock()
		defer mu.Unlock()
		return env.Open(ctx, side)
	}
	e.Note = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		env.Note(err)
	}
	e.Say = nil // the same for all of them
	if env.Expand != nil {
		e.Expand = func(ctx context.Context, src *query.Source, exprs []string) (Expansion, error) {
			mu.Lock()
			defer mu.Unlock()
			return env.Expand(ctx, src, exprs)
		}
	}
	return &e
}

// answers writes the rows of one machine after the other; a table waits for all of them.
type answers struct {
	env  *Env
	w    io.Writer
	head *summary.Head // of the first machine
	rows []summary.Row

	instances bool // there are rows of each
}

func (a *answers) add(d *digested) (err error) {
	switch a.env.Output {
	case "csv":
		d.head.Continued = a.head != nil
		err = summary.WriteCSV(a.w, d.head, d.rows, a.env.Full)
	case "json":
		err = summary.WriteJSON(a.w, d.head, d.Summary, d.rows)
	default:
		a.rows = append(a.rows, d.rows...)
	}
	if a.head == nil {
		a.head = d.head
	}
	a.instances = a.instances || d.instances
	return err
}

func (a *answers) end(ctx context.Context) error {
	if len(a.rows) == 0 {
		return nil
	}
	return a.env.Table(ctx, a.w, a.head.Table(a.rows, a.env.Numbers.Form(), a.instances))
}
