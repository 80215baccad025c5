package digest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/when"
)

// A Compare asks what differs between two sources, or two windows of a recording.
type Compare struct {
	*option.Options                // -S, -T, -t, -s: the window of the first side, and of the second without another
	With            option.Options // --with-S, --with-T: the window of the second side
	Metrics         []string       // none for all
	Threshold       float64        // the least score that is shown
	Top             int            // at most so many changes are, the largest first; 0 for all, less than 0 for tableTop in a table

	rank     int // how many instances of each metric a report ranks; 0 for all
	baseline string
	earlier  when.Baseline
	fail     float64 // +Inf for never
}

// ErrOver means that a score is larger than --fail-over allows.
var ErrOver = errors.New("a score is larger than --fail-over")

// tableTop is how many changes a table shows if not given.
const tableTop = 20

// liveSamples is how many samples of live sources are compared if not given.
const liveSamples = 11

// Add adds the options that are not those of the window to a table.
func (c *Compare) Add(t *option.Table) {
	c.Threshold, c.Top, c.fail = 1, -1, math.Inf(1)
	text := func(p *string, has *bool) func(string) error {
		return func(arg string) error { *p, *has = arg, true; return nil }
	}
	score := func(p *float64, name string) func(string) error {
		return func(arg string) (err error) {
			if *p, err = strconv.ParseFloat(arg, 64); err != nil || !(*p >= 0) {
				return fmt.Errorf("%s requires a score of 0 or more", name)
			}
			return nil
		}
	}
	t.Func(text(&c.With.Start, &c.With.HasStart), "", "with-S", "TIME", "start of the second window at TIME")
	t.Func(text(&c.With.Finish, &c.With.HasFinish), "", "with-T", "TIME", "end of the second window at TIME")
	t.Func(func(arg string) (err error) {
		c.baseline = arg
		c.earlier, err = when.ParseBaseline(arg)
		return err
	}, "", "baseline", "BEFORE", "compare with the window that is so long BEFORE: 'yesterday same time', '2 hours'")
	t.Strings(&c.Metrics, "", "metrics", "METRIC", "compare METRIC, those below it, an expression or a :REPORT (may be repeated)")
	t.Func(score(&c.Threshold, "--threshold"), "", "threshold", "SCORE", "leave out what has a smaller SCORE (default 1)")
	t.Func(func(arg string) (err error) {
		if c.Top, err = strconv.Atoi(arg); err != nil || c.Top < 0 {
			return errors.New("--top requires a number of changes, or 0 for all")
		}
		return nil
	}, "", "top", "N", fmt.Sprintf("show the N largest changes; 0 for all (default %d in a table)", tableTop))
	t.Func(score(&c.fail, "--fail-over"), "", "fail-over", "SCORE", "the status is 1 if a score is larger than SCORE; what only one side has does not count")
}

// Reports takes the names of reports among arguments, which are compared, and returns the others.
func (c *Compare) Reports(args []string) (others []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, ":") {
			c.Metrics = append(c.Metrics, arg)
		} else {
			others = append(others, arg)
		}
	}
	return others
}

// Second reports whether the second window has options of its own.
func (c *Compare) Second() bool { return c.With.HasStart || c.With.HasFinish || c.baseline != "" }

// Check checks the options for a number of sources.
func (c *Compare) Check(sources int) error {
	switch {
	case c.baseline != "" && (c.With.HasStart || c.With.HasFinish):
		return errors.New("--baseline and --with-S, --with-T exclude each other")
	case sources > 2:
		return fmt.Errorf("compare is for two sources, and there are %d", sources)
	case sources == 2 && c.baseline != "":
		return errors.New("--baseline is for two windows of one archive")
	case sources < 2 && !c.Second():
		return errors.New("compare requires a second archive or host, or a second window: --with-S TIME, --with-T TIME, or --baseline BEFORE")
	}
	return nil
}

// Ask implements Question.
func (c *Compare) Ask(ctx context.Context, env *Env, w io.Writer) error {
	sides, done, err := c.open(ctx, env, env.Sides)
	defer done()
	if err != nil {
		return err
	}
	if err := c.expand(ctx, env, sides); err != nil {
		return err
	}
	if err := c.windows(ctx, env, sides); err != nil {
		return err
	}
	if err := c.summarize(ctx, env, sides); err != nil {
		return err
	}
	return c.answer(context.WithoutCancel(ctx), env, w, sides) // an interrupt ends the samples only
}

// open opens the sources. All are tried, so that each failure is reported.
func (c *Compare) open(ctx context.Context, env *Env, at []Side) (sides [2]*side, done func(), err error) {
	var opened []*side
	done = func() {
		for _, s := range opened {
			_ = s.Close() // it has been read
		}
	}
	for i := range at {
		s, bad := env.open(ctx, at[i], i == 0)
		if bad != nil && err != nil {
			env.note(err)
		}
		if err = cmp.Or(bad, err); bad == nil && i > 0 {
			opened = append(opened, s)
		}
		sides[i] = s
	}
	if len(at) == 1 && err == nil {
		same := *sides[0]
		sides[1] = &same
	}
	return sides, done, err
}

// expand sets the expressions of the sides, for one source only once.
func (c *Compare) expand(ctx context.Context, env *Env, sides [2]*side) error {
	a, b := sides[0], sides[1]
	x, err := env.expand(ctx, a, c.Metrics)
	if err != nil {
		return a.problem(err)
	}
	if c.rank, err = x.Rank(); err != nil {
		env.note(query.Problemf("%v; all are compared", err))
	}
	if a.Source == b.Source {
		b.of = a.of
		return nil
	}
	if _, err := env.expand(ctx, b, c.Metrics); err != nil {
		return b.problem(err)
	}
	return nil
}

// windows sets the windows of the sides. A baseline is the first side.
func (c *Compare) windows(ctx context.Context, env *Env, sides [2]*side) error {
	a, b := sides[0], sides[1]
	if !a.live() && !b.live() && (c.HasInterval || c.HasSamples) {
		return query.Problemf("-t and -s are for hosts: archives are compared record by record")
	}
	if a.live() && a.Source == b.Source {
		return query.Problemf("two windows are those of an archive, and %s is live", a.from)
	}
	if a.Source == b.Source || a.from == b.from {
		a.from, b.from = "window a of "+a.from, "window b of "+b.from
	}
	if c.baseline != "" {
		a, b = b, a
	}
	if err := c.window(ctx, env, a, c.Options, false); err != nil {
		return err
	}
	if c.baseline == "" {
		o, with := c.Options, c.With.HasStart || c.With.HasFinish
		if with || a.live() != b.live() {
			o = &c.With
			o.Interval, o.Samples = c.Interval, c.Samples
		}
		return c.window(ctx, env, b, o, with)
	}
	return c.before(ctx, env, a, b)
}

// window sets the window of a side. A live one is a number of samples: clocks of hosts differ.
func (c *Compare) window(ctx context.Context, env *Env, s *side, o *option.Options, with bool) error {
	if s.live() && o.HasStart {
		return s.problem(query.Problemf("a live source has no start; -T says when it ends"))
	}
	if err := env.over(ctx, s, o, with); err != nil {
		return s.problem(err)
	}
	t := &s.of.Times
	if !s.live() {
		return nil
	}
	t.Interval = cmp.Or(t.Interval, query.DefaultInterval)
	if end := t.End; end != (pcp.Timestamp{}) {
		last := end.Time().Sub(env.Now)
		if t.End = (pcp.Timestamp{}); last < 0 {
			return s.problem(query.Problemf("-T %s has passed, and the source is live", end.Time().In(env.Zone).Format(time.TimeOnly)))
		}
		t.Samples = min(cmp.Or(t.Samples, math.MaxInt32), int(min(last/t.Interval, math.MaxInt32-1))+1)
	}
	t.Samples = cmp.Or(t.Samples, liveSamples)
	return nil
}

// before makes the window of a baseline from that of the other side.
func (c *Compare) before(ctx context.Context, env *Env, of, base *side) error {
	from, to := of.of.Times.Start, of.of.Times.End
	first, last, err := of.Line.Bounds(ctx)
	if err != nil {
		return of.problem(err)
	}
	if to == (pcp.Timestamp{}) {
		to = last
	}
	t := &base.of.Times
	t.Start, t.End = pcp.TimestampOf(c.earlier.Of(from.Time(), env.Zone)), pcp.TimestampOf(c.earlier.Of(to.Time(), env.Zone))
	if t.End.Compare(first) < 0 {
		p := base.Empty(ctx, env.Zone)
		p.Msg = fmt.Sprintf("there are no samples of the baseline '%s', %s", c.baseline, format.Span(t.Start.Time(), t.End.Time(), env.Zone))
		return p
	}
	return nil
}

// summarize summarizes both sides, at the same time if both are live, and reports what is missing of each, once if
// both have the same problem. The error is that of a side without any answer.
func (c *Compare) summarize(ctx context.Context, env *Env, sides [2]*side) (failed error) {
	c.announce(env, sides)
	for _, s := range sides {
		s.of.Instances, s.of.Compared = true, true
	}
	if sides[0].live() && sides[1].live() {
		var other sync.WaitGroup
		other.Go(func() { _ = env.summarize(ctx, sides[1]) }) // the side has the error
		_ = env.summarize(ctx, sides[0])
		other.Wait()
	} else {
		_ = env.summarize(ctx, sides[0])
		_ = env.summarize(ctx, sides[1])
	}
	var errs [2]error
	for i, s := range sides {
		if errs[i] = s.err; s.err != nil {
			failed = ErrReported
		} else {
			errs[i] = s.sum.Err
		}
	}
	if errs[0] != nil && errs[1] != nil && errs[0].Error() == errs[1].Error() {
		env.note(errs[0])
		return failed
	}
	for i, err := range errs {
		if err != nil {
			env.note(sides[i].problem(err))
		}
	}
	return failed
}

// announce says how long live sources are sampled.
func (c *Compare) announce(env *Env, sides [2]*side) {
	var names []string
	var t *sampling.Times
	for _, s := range sides {
		if s.live() {
			names, t = append(names, s.from), &s.of.Times
		}
	}
	if t != nil {
		env.Say(fmt.Sprintf("%s: %s, %v apart; Ctrl-C ends that", strings.Join(names, ", "), query.Plural(t.Samples, "sample"), t.Interval))
	}
}

// answer writes what differs.
func (c *Compare) answer(ctx context.Context, env *Env, w io.Writer, sides [2]*side) (err error) {
	a, b := sides[0].sum, sides[1].sum
	if c.rank > 0 {
		a.Rows, b.Rows = summary.Ranked(a.Rows, b.Rows, c.rank)
	}
	x := summary.Compare(a.Rows, b.Rows, c.Threshold)
	top := c.Top
	if top < 0 && env.Output != "csv" && env.Output != "json" {
		top = tableTop
	}
	d := newDifferences(env, x, top)
	switch env.Output {
	case "csv":
		err = d.writeCSV(w, false, env.full)
	case "json":
		err = d.writeJSON(w, d.head(x, sides))
	default:
		err = d.show(ctx, w, env, x, sides)
	}
	missing := a.Err != nil || b.Err != nil
	switch {
	case err != nil:
		return err
	case !missing && len(x.Changed)+x.Same == 0:
		env.note(query.Problemf("the two have no metric with samples in common"))
		return ErrReported
	case missing:
		return ErrReported
	case x.Largest > c.fail:
		return ErrOver
	}
	return nil
}
