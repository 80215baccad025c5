package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
)

func newWatch() *Verb {
	return &Verb{
		Name: "watch", Usage: "[INTERVAL] EXPR ...", Short: "Show values as time goes by, until Ctrl-C",
		Long: "Show the values of an expression again and again, of an archive from its begin on. On a terminal one\n" +
			"expression is drawn over its last values; those of several stand side by side.",
		Doors: Both, Operands: Exprs, Least: 1, Most: many, Asks: true, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			pace := f.pace()
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				interval, exprs := pace(args)
				q, form := s.over("", s.pace(interval), s.set.Samples), Form{Output: Watch, Settings: &s.set}
				if q.Exprs = exprs; len(exprs) > 1 {
					form.Output = outputs[0]
				}
				return s.follow(ctx, q, form, w)
			}
		},
	}
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

// defaultTop is how many values top shows.
const defaultTop = 10

func newTop() *Verb {
	return &Verb{
		Name: "top", Usage: "[N] [INTERVAL] EXPR", Short: "Show the largest values of an expression",
		Long: "Show the largest values of an expression, ten or N of them: once, or again and again where an interval is\n" +
			"given. Live ones are drawn on a terminal again and again, until Ctrl-C.",
		Doors: Both, Operands: Exprs, Least: 1, Most: 3, Asks: true, Leads: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			n := defaultTop
			f.Func("top", fmt.Sprintf("show the `N` largest values (default %d)", n), func(text string) (err error) {
				if n, err = strconv.Atoi(text); err != nil || n < 1 {
					return errors.New("--top requires a number of values, 1 or more")
				}
				return nil
			})
			pace := f.pace()
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				count, args := leading(args, item.Count)
				interval, args := pace(args)
				if len(args) != 1 {
					return misuse("top is for one expression: %s", strings.Join(args, ", "))
				}
				return s.top(ctx, args[0], cmp.Or(count, n), interval, w)
			}
		},
	}
}

func (s *Session) top(ctx context.Context, expr string, n int, interval time.Duration, w io.Writer) error {
	q := s.one(expr)
	again := interval > 0 || s.opt.Screen && s.out == nil && s.live() && s.set.Samples != 1
	if again {
		q = s.over(expr, s.pace(interval), s.set.Samples)
	}
	q.Select.Sort, q.Select.Top = "value", n
	if again {
		return s.follow(ctx, q, Form{Output: Watch, Settings: &s.set}, w)
	}
	return runExpr(ctx, s, q, w)
}
