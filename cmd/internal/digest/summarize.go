package digest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/derive/summary"
	"pmtools/internal/ordered"
	"pmtools/lib/option"
	"pmtools/lib/when"
)

// A Summarize asks for the numbers of metrics in a window of a recording.
type Summarize struct {
	*option.Options          // -S, -T, -A, -O: the window
	Exprs           []string // none for all metrics
	Raw             bool     // counters are not converted to rates
	Instances       bool     // there are rows of each instance
	Every           time.Duration
	Order           summary.Order
	// Split returns the recordings of each machine where the source has those of several; nil means that such a
	// source cannot be opened.
	Split func(ctx context.Context) ([]string, error)
}

// Add adds the options that are not those of the window to a table.
func (s *Summarize) Add(t *option.Table) {
	t.Bool(&s.Instances, "", "instances", "summarize each instance too")
	t.Func(func(arg string) (err error) {
		if s.Order.Top, err = strconv.Atoi(arg); err != nil || s.Order.Top < 1 {
			return errors.New("--top requires a number of instances, 1 or more")
		}
		return nil
	}, "", "top", "N", "summarize the N instances of each metric with the largest values of --by")
	t.Func(func(arg string) error {
		s.Order.By = arg
		return known("--by", arg, summary.Ranks())
	}, "", "by", "NUMBER", "number that ranks instances, the first by default: "+strings.Join(summary.Ranks(), ", "))
	t.Func(func(arg string) error {
		s.Order.Sort = arg
		return known("--sort", arg, summary.Sorts())
	}, "", "sort", "COLUMN", "column that rows are sorted by: "+strings.Join(summary.Sorts(), ", "))
	t.Func(func(arg string) (err error) {
		if s.Every, err = when.ParseInterval(arg); err != nil || s.Every < time.Millisecond {
			return fmt.Errorf("--every %s is not a time such as 10min", arg)
		}
		return nil
	}, "", "every", "TIME", "summarize each interval of so much time on the clock")
	t.Bool(&s.Raw, "r", "raw", "show counters as they are (no rate conversion)")
}

// known checks that the value of an option is one of a list.
func known(option, value string, list []string) error {
	if !slices.Contains(list, value) {
		return fmt.Errorf("unknown %s '%s'; there are %s", option, value, strings.Join(list, ", "))
	}
	return nil
}

// Check checks the options together.
func (s *Summarize) Check() error {
	if s.Order.By != "" && s.Order.Top == 0 {
		return errors.New("--by requires --top N: the number of instances that are shown")
	}
	s.Order.By = cmp.Or(s.Order.By, summary.Ranks()[0])
	s.Instances = s.Instances || s.Order.Top > 0
	return nil
}

// Ask implements Question.
func (s *Summarize) Ask(ctx context.Context, env *Env, w io.Writer) error {
	a := s.answer(env, w)
	one, err := env.open(ctx, env.Sides[0], true)
	if err != nil {
		if s.Split != nil {
			if names, _ := s.Split(ctx); len(names) > 1 { // otherwise err says what is wrong
				return s.several(ctx, a, names)
			}
		}
		return err
	}
	if err = s.summarize(ctx, env, one, env.Say); err != nil {
		return err
	}
	if err = a.add(one); err == nil {
		err = a.end(ctx)
	}
	return cmp.Or(err, one.sum.Err)
}

// summarize summarizes one recording. The rank of a report chooses instances unless the question does.
func (s *Summarize) summarize(ctx context.Context, env *Env, one *side, say func(string)) error {
	if one.live() {
		return &diagnose.Problem{
			Msg:   "only archives can be summarized, and the source is live",
			Notes: []string{"name an archive with -a; eval --archive-out BASE records one"},
		}
	}
	order := s.Order
	one.of.Raw, one.of.Instances, one.of.Every = s.Raw, s.Instances, s.Every
	x, err := env.expand(ctx, one, s.Exprs)
	if err != nil {
		return err
	}
	if order.Top == 0 {
		top, err := x.Rank()
		if err != nil {
			return err
		}
		if top > 0 {
			order.Top, one.of.Instances = top, true
			say(fmt.Sprintf("the instances of the report: --top %d --by %s", top, order.By))
		}
	}
	if err := env.over(ctx, one, s.Options, false); err != nil {
		return err
	}
	if err := env.summarize(ctx, one); err != nil {
		return err
	}
	one.sum.Rows = order.Rows(one.sum.Rows)
	return nil
}

// several summarizes the recordings of several machines, some at a time, and writes them in their order. Those
// that fail are reported.
func (s *Summarize) several(ctx context.Context, a *summaries, names []string) error {
	slices.Sort(names)
	a.hosts = true
	one := func(_ context.Context, i int, yield func(*side) bool) { yield(s.machine(ctx, a.env, names[i])) }
	failed := false
	for m := range ordered.Tasks(ctx, len(names), runtime.GOMAXPROCS(0), 1, one) {
		if ctx.Err() != nil {
			break
		}
		err := m.err
		if err == nil {
			if err := a.add(m); err != nil {
				return err
			}
			err = m.sum.Err
		}
		if err != nil {
			a.env.note(err)
			failed = true
		}
	}
	err := a.end(context.WithoutCancel(ctx))
	if err == nil && failed {
		return ErrReported
	}
	return cmp.Or(err, ctx.Err())
}

// machine summarizes the recordings of one machine.
func (s *Summarize) machine(ctx context.Context, env *Env, name string) *side {
	one, err := env.open(ctx, Side{Kind: env.Sides[0].Kind, Name: name}, false)
	if err == nil {
		defer one.Close()                                 // it has been read
		err = s.summarize(ctx, env, one, func(string) {}) // it would be the same for all of them
	}
	switch {
	case err != nil:
		one.err = one.problem(err)
	case one.sum.Err != nil:
		one.sum.Err = one.problem(one.sum.Err)
	}
	return one
}
