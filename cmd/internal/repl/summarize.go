package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/digest"
	"pmtools/derive/diagnose"
	"pmtools/derive/summary"
	"pmtools/internal/ordered"
	"pmtools/lib/option"
)

// summarize is the question for the numbers of metrics in a window of a recording.
type summarize struct {
	options   *option.Options // -S, -T, -A, -O: the window
	raw       bool
	instances bool
	every     time.Duration
	order     summary.Order
	quantiles []summary.Quantile // in the place of the usual ones

	s     *Session
	exprs []string // none for all metrics
	w     io.Writer
	out   digest.Summaries
	mu    sync.Mutex // of the Session, while several machines are summarized
}

// summaryPercent is how much the heap may grow between collections while an archive is summarized. Nearly all
// that is allocated, some kilobytes for each metric, is needed until the end.
const summaryPercent = 400

func newSummarize() *Verb {
	return &Verb{
		Name: "summarize", Usage: "[METRIC|EXPR|:REPORT ...]", Short: "Summarize an archive: extremes, means and quantiles of each metric",
		Long: "Summarize the records of an archive: for each metric the number of samples, the extremes, the mean\n" +
			"over time, quantiles. A name that has metrics below it stands for them. Without arguments, all\n" +
			"metrics with numeric values are summarized. Counters are converted to rates.",
		Doors: Both, Operands: Exprs, Most: many, Partial: true, Complete: orReports(ofNames),
		New: func(f *Flags) Run {
			q := &summarize{options: f.Time}
			f.Shared("start", "finish", "align", "origin")
			q.flags(f)
			f.Output(answer.Forms(), "json")
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				if q.order.By != "" && q.order.Top == 0 {
					return misuse("--by requires --top N: the number of instances that are shown")
				}
				if f.Door == Shell && s.kind != Archive {
					return errors.New("only archives can be summarized: name one with -a ARCHIVE; 'eval --archive-out BASE' records one")
				}
				q.s, q.exprs, q.w = s, args, w
				defer debug.SetGCPercent(debug.SetGCPercent(summaryPercent))
				return q.run(ctx)
			}
		},
	}
}

// flags adds the options that are not those of the window.
func (q *summarize) flags(f *Flags) {
	f.BoolVar(&q.instances, "instances", false, "summarize each instance too")
	f.Func("top", "summarize the `N` instances of each metric with the largest values of --by", func(arg string) (err error) {
		if q.order.Top, err = strconv.Atoi(arg); err != nil || q.order.Top < 1 {
			return errors.New("--top requires a number of instances, 1 or more")
		}
		return nil
	})
	f.Choice(&q.order.By, "--by", "by", "", "`NUMBER` that ranks instances, the first by default", summary.Ranks())
	f.Choice(&q.order.Sort, "--sort", "sort", "", "`COLUMN` that rows are sorted by", summary.Sorts())
	f.Span(&q.every, "every", "", "summarize each interval of so much `TIME` on the clock")
	f.Func("quantiles", "show these quantiles of the samples, a `LIST` of percentages such as 50,90,99.9", func(arg string) (err error) {
		if q.quantiles, err = summary.ParseQuantiles(arg); err != nil {
			return fmt.Errorf("--quantiles: %w", err)
		}
		return nil
	})
	f.BoolVarP(&q.raw, "raw", "r", false, "show counters as they are (no rate conversion)")
}

// run answers the question. An archive of several machines is summarized machine by machine.
func (q *summarize) run(ctx context.Context) error {
	s := q.s
	q.order.By = cmp.Or(q.order.By, summary.Ranks()[0])
	q.out = digest.Summaries{
		Form: s.digest(), Intervals: q.every > 0, Quantiles: q.quantiles, Change: q.order.By == "change" || q.order.Sort == "change",
		Show: func(t *answer.Table) error { return s.show(ctx, q.w, t) },
	}
	one, err := s.openSide(ctx, Side{s.kind, s.name}, true)
	if err != nil {
		if s.kind == Archive {
			if names := s.opt.Machines(ctx, s.name).Names; len(names) > 1 { // otherwise err says what is wrong
				return q.several(ctx, names)
			}
		}
		return err
	}
	if err = q.expand(ctx, one, func(line string) { s.note(q.w, line) }); err == nil {
		err = q.one(ctx, one)
	}
	if err != nil {
		return err
	}
	if err = q.add(one); err == nil {
		err = q.out.End()
	}
	return cmp.Or(err, one.sum.Err)
}

// expand sets the expressions of a side. The rank of a report chooses instances unless the options do.
func (q *summarize) expand(ctx context.Context, one *side, say func(string)) error {
	if one.live() {
		return &diagnose.Problem{
			Msg:   "only archives can be summarized, and the source is live",
			Notes: []string{"name an archive with -a; eval --archive-out BASE records one"},
		}
	}
	one.order = q.order
	one.of.Raw, one.of.Instances, one.of.Every, one.of.Quantiles = q.raw, q.instances || q.order.Top > 0, q.every, q.quantiles
	x, err := q.s.expandSide(ctx, one, q.exprs, q.w)
	if err != nil || q.order.Top > 0 {
		return err
	}
	top, err := x.Rank()
	if err == nil && top > 0 {
		one.order.Top, one.of.Instances = top, true
		say(fmt.Sprintf("the instances of the report: --top %d --by %s", top, q.order.By))
	}
	return err
}

// one summarizes a side whose expressions are known.
func (q *summarize) one(ctx context.Context, one *side) error {
	w := q.s.window(q.options, false, q.complain)
	if one.Source != q.s.src { // each machine would tell the same
		w.Tell = nil
	}
	err := one.over(ctx, w)
	if err == nil {
		err = q.s.summarize(ctx, one)
	}
	if err == nil {
		one.sum.Rows = one.order.Rows(one.sum.Rows)
	}
	return err
}

// add adds the rows of a side to the answer.
func (q *summarize) add(one *side) error {
	q.out.Instances = q.out.Instances || one.of.Instances
	p := one.part()
	return q.out.Add(&p)
}

// complain shows a problem or doubt of the answer.
func (q *summarize) complain(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.s.complain(q.w, err)
}

// several summarizes the recordings of several machines, some at a time, and shows them in their order. Those
// that fail are reported.
func (q *summarize) several(ctx context.Context, names []string) error {
	q.out.Hosts = true
	machine := func(_ context.Context, i int, yield func(*side) bool) { yield(q.machine(ctx, names[i])) }
	failed := false
	for m := range ordered.Tasks(ctx, len(names), runtime.GOMAXPROCS(0), 1, machine) {
		if ctx.Err() != nil {
			break
		}
		err := m.err
		if err == nil {
			if err := q.add(m); err != nil {
				return err
			}
			err = m.sum.Err
		}
		if err != nil {
			q.complain(err)
			failed = true
		}
	}
	q.out.Show = func(t *answer.Table) error { return q.s.show(context.WithoutCancel(ctx), q.w, t) }
	err := q.out.End()
	if err == nil && failed {
		return errIncomplete
	}
	return cmp.Or(err, ctx.Err())
}

// machine summarizes the recordings of one machine.
func (q *summarize) machine(ctx context.Context, name string) *side {
	q.mu.Lock()
	one, err := q.s.openSide(ctx, Side{q.s.kind, name}, false)
	if err == nil {
		defer one.Close()                         // it has been read
		err = q.expand(ctx, one, func(string) {}) // it would say the same for all of them
	}
	q.mu.Unlock()
	if err == nil {
		err = q.one(ctx, one)
	}
	switch {
	case err != nil:
		one.err = one.problem(err)
	case one.sum.Err != nil:
		one.sum.Err = one.problem(one.sum.Err)
	}
	return one
}
