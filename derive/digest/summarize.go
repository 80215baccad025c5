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
	d := s.summarize(ctx, env, one)
	if d.err != nil {
		return d.err
	}
	switch env.Output {
	case "csv":
		err = summary.WriteCSV(w, d.head, d.rows, env.Full)
	case "json":
		err = summary.WriteJSON(w, d.head, d.Summary, d.rows)
	default:
		err = env.Table(ctx, w, d.head.Table(d.rows, env.Numbers.Form(), d.instances))
	}
	return cmp.Or(err, d.head.Err)
}

// A digested is the summary of a recording.
type digested struct {
	*query.Digest
	head      *summary.Head
	rows      []summary.Row
	instances bool  // there are rows of each
	err       error // there is none
}

// summarize summarizes one recording. The rank of a report chooses instances unless the question does.
func (s *Summarize) summarize(ctx context.Context, env *Env, one *side) *digested {
	if one.live() {
		return &digested{err: &query.Problem{
			Msg:   "only archives can be summarized, and the source is live",
			Notes: []string{"name an archive with -a; eval --archive-out BASE records one"},
		}}
	}
	of, order := s.Of, s.Order
	top, err := env.expand(ctx, one, s.Exprs)
	if err != nil && (top < 0 || !s.top) {
		return &digested{err: err}
	}
	if top > 0 && !s.top {
		order.Top, of.Instances = top, true
		if env.Say != nil {
			env.Say(fmt.Sprintf("the instances of the report: --top %d --by %s", top, order.By))
		}
	}
	one.window.Raw, one.window.Expand = s.Raw, true
	if err := env.over(ctx, one, s.Options, false); err != nil {
		return &digested{err: err}
	}
	d, h, err := env.summarize(ctx, one, of)
	if err != nil {
		return &digested{err: err}
	}
	h.Intervals, h.Change = of.Every > 0, order.By == "change" || order.Sort == "change"
	return &digested{Digest: d, head: h, rows: order.Rows(d.Rows(d.InstanceName)), instances: of.Instances}
}
