package digest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/option"
	"pmtools/lib/when"
)

// A Summarize asks for the numbers of metrics in a window of a recording.
type Summarize struct {
	*option.Options          // -S, -T, -A, -O: the window
	Exprs           []string // none for all metrics
	Raw             bool     // counters are not converted to rates
	Of              summary.Options
	Order           summary.Order
	// Split returns the recordings of each machine where the source has those of several; nil means that such a
	// source cannot be opened.
	Split func(ctx context.Context) ([]string, error)

	top, by bool // they are given
}

// Add adds the options that are not those of the window to a table.
func (s *Summarize) Add(t *option.Table) {
	s.Order.By = summary.Ranks()[0]
	t.Bool(&s.Of.Instances, "", "instances", "summarize each instance too")
	t.Func(func(arg string) (err error) {
		s.top = true
		if s.Order.Top, err = strconv.Atoi(arg); err != nil || s.Order.Top < 1 {
			return errors.New("--top requires a number of instances, 1 or more")
		}
		return nil
	}, "", "top", "N", "summarize the N instances of each metric with the largest values of --by")
	t.Func(func(arg string) error {
		s.by, s.Order.By = true, arg
		return known("--by", arg, summary.Ranks())
	}, "", "by", "NUMBER", "number that ranks instances, the first by default: "+strings.Join(summary.Ranks(), ", "))
	t.Func(func(arg string) error {
		s.Order.Sort = arg
		return known("--sort", arg, summary.Sorts())
	}, "", "sort", "COLUMN", "column that rows are sorted by: "+strings.Join(summary.Sorts(), ", "))
	t.Func(func(arg string) (err error) {
		if s.Of.Every, err = when.ParseInterval(arg); err != nil || s.Of.Every < time.Millisecond {
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
	if s.by && !s.top {
		return errors.New("--by requires --top N: the number of instances that are shown")
	}
	s.Of.Instances = s.Of.Instances || s.top
	return nil
}

// Ask implements Question.
func (s *Summarize) Ask(ctx context.Context, env *Env, w io.Writer) error {
	one, err := env.side(ctx, env.Sides[0], true)
	if err != nil {
		if s.Split != nil {
			if names, _ := s.Split(ctx); len(names) > 1 { // otherwise err says what is wrong
				return s.several(ctx, env, w, names)
			}
		}
		return err
	}
	d, h, err := s.summarize(ctx, env, one)
	if err != nil {
		return err
	}
	rows := s.Order.Rows(d.Rows(d.InstanceName))
	switch env.Output {
	case "csv":
		err = summary.WriteCSV(w, h, rows, env.Full)
	case "json":
		err = summary.WriteJSON(w, h, d.Summary, rows)
	default:
		err = env.Table(ctx, w, h.Table(rows, env.Numbers.Form(), s.Of.Instances))
	}
	return cmp.Or(err, h.Err)
}

// summarize summarizes one recording.
func (s *Summarize) summarize(ctx context.Context, env *Env, one *side) (*query.Digest, *summary.Head, error) {
	if one.live() {
		return nil, nil, &query.Problem{
			Msg:   "only archives can be summarized, and the source is live",
			Notes: []string{"name an archive with -a; eval --archive-out BASE records one"},
		}
	}
	exprs := s.Exprs
	if env.Expand != nil {
		var err error
		if exprs, err = env.Expand(ctx, one.Source, exprs); err != nil {
			return nil, nil, err
		}
	}
	one.window.Exprs, one.window.Raw, one.window.Expand = exprs, s.Raw, true
	if err := env.over(ctx, one, s.Options, false); err != nil {
		return nil, nil, err
	}
	d, h, err := env.summarize(ctx, one, s.Of)
	if err == nil {
		h.Intervals, h.Change = s.Of.Every > 0, s.Order.By == "change" || s.Order.Sort == "change"
	}
	return d, h, err
}
