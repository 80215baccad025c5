package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
)

func runWatch(ctx context.Context, s *Session, arg string, w io.Writer) error {
	interval, text := item.Interval(arg)
	q, form := s.over(text, s.pace(interval), s.set.Samples), Form{Output: Watch, Settings: &s.set}
	if q.Exprs = item.List(text); len(q.Exprs) > 1 {
		form.Output = outputs[0]
	}
	return s.follow(ctx, q, form, w)
}

// pace returns the interval of a watch, which is that of the settings unless one is given. A
// recording has steps of its own, and hosts a schedule.
func (s *Session) pace(interval time.Duration) time.Duration {
	if s.fleet == nil && s.src.Line == nil {
		return cmp.Or(interval, s.set.Interval)
	}
	return interval
}

func (s *Session) live() bool { return s.fleet != nil || s.src == nil || s.src.Line == nil }

func (s *Session) follow(ctx context.Context, q *query.Query, form Form, w io.Writer, shape ...func(context.Context, *query.Stream)) error {
	st, err := s.queryAll(ctx, q)
	if err != nil {
		return err
	}
	for _, f := range shape {
		f(ctx, st)
	}
	if s.fleet == nil && shape == nil {
		s.noteExpanded(w, st.Used())
		if form.Output == Watch && s.set.Verbose {
			fmt.Fprintln(w, st.Header.Metrics[0].Summary())
		}
	}
	_, err = s.Write(ctx, w, st, form)
	if ctx.Err() != nil {
		_ = s.noteLost(err)
		return nil // that is how it ends
	}
	return err
}

// defaultTop is how many values :top shows.
const defaultTop = 10

// runTop shows the largest values: once, or again and again where an interval is given, or live ones
// are drawn on a screen.
func runTop(ctx context.Context, s *Session, arg string, w io.Writer) error {
	n, rest := item.Count(arg)
	interval, text := item.Interval(rest)
	q := s.one(text)
	again := interval > 0 || s.opt.Screen && s.out == nil && s.live() && s.set.Samples != 1
	if again {
		q = s.over(text, s.pace(interval), s.set.Samples)
	}
	q.Select.Sort, q.Select.Top = "value", cmp.Or(n, defaultTop)
	if again {
		return s.follow(ctx, q, Form{Output: Watch, Settings: &s.set}, w)
	}
	return runExpr(ctx, s, q, w)
}
