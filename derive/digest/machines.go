package digest

import (
	"cmp"
	"context"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"

	"pmtools/derive/query"
	"pmtools/derive/summary"
)

// This file summarizes the recordings of several machines, some at a time, and writes them in their order.

// several summarizes the recordings of each machine. Those that fail are reported.
func (s *Summarize) several(ctx context.Context, env *Env, w io.Writer, names []string) error {
	slices.Sort(names)
	shared := env.shared()
	answer := &answers{env: env, w: w}
	failed := false
	for d := range inOrder(ctx, len(names), func(i int) *digested { return s.digest(ctx, shared, names[i]) }) {
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

// inOrder yields the results of some tasks in their order. As many as there are processors run at a time, and
// no result waits for more than that many before it.
func inOrder[T any](ctx context.Context, n int, do func(i int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		queue := make(chan chan T, max(runtime.GOMAXPROCS(0)-1, 0))
		running.Go(func() {
			defer close(queue)
			for i := range n {
				result := make(chan T, 1)
				select {
				case queue <- result:
				case <-ctx.Done():
					return
				}
				running.Go(func() { result <- do(i) })
			}
		})
		for result := range queue {
			if !yield(<-result) {
				return
			}
		}
	}
}
