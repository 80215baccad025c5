package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/digest"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/when"
)

// compare is the question what differs between two sources, or two windows of a recording.
type compare struct {
	options   *option.Options // -S, -T, -t, -s: the window of the first side, and of the second without another
	with      option.Options  // --with-S, --with-T: the window of the second side
	metrics   []string        // none for all
	threshold float64         // the least score that is shown
	top       int             // at most so many rows are, the largest changes first; 0 for all, less than 0 for tableTop in a table
	where     string          // an expression: the sides are the samples where it does not hold, and where it does
	baseline  string
	earlier   when.Baseline
	fail      float64 // +Inf for never

	s    *Session
	w    io.Writer
	a, b *side
	rank int // how many instances of each metric a report ranks; 0 for all
}

// errOver is the error of a score that is larger than --fail-over allows.
const errOver = Finding("a score is larger than --fail-over")

// tableTop is how many rows a table shows if not given.
const tableTop = 20

// liveSamples is how many samples of live sources are compared if not given.
const liveSamples = 11

func newCompare() *Verb {
	return &Verb{
		Name: "compare", Usage: "[SOURCE] [SOURCE] [:REPORT ...]", Short: "Compare two archives, hosts, or windows of an archive: what changed most",
		Long: "Compare the metrics of two sources, or of two windows of an archive: means, quantiles and extremes of\n" +
			"each instance, counters as rates. The largest changes come first. A source is an archive, or host SPEC,\n" +
			"or local; others follow -a, -h and -L. Hosts are sampled at the same time, every -t until -T, or 11\n" +
			"samples a second apart. A score is the difference of the means, divided by the standard deviation of the\n" +
			"first side plus 5% of the larger mean plus a small amount of the unit, such as 1 count/s, 10 Kbyte/s, 1 ms\n" +
			"or 0.05 of a load. Times that only grow, as an uptime does, are left out. With --where the first side is the\n" +
			"samples of an archive in which an expression is 0, and the second those in which it is not.",
		Doors: Both, Most: many, Several: true, Partial: true, Complete: orReports(ofFiles),
		New: func(f *Flags) Run {
			q := &compare{options: f.Time}
			f.Shared("start", "finish", "interval", "samples")
			q.flags(f)
			f.Output(answer.Forms(), "json")
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				q.s, q.w = s, w
				at := s.compared(q.sources(args), q.second() || q.where != "")
				if err := q.check(len(at)); err != nil {
					return err
				}
				return q.run(ctx, at)
			}
		},
	}
}

// flags adds the options that are not those of the window.
func (q *compare) flags(f *Flags) {
	q.threshold, q.top, q.fail = 1, -1, math.Inf(1)
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
	f.Func("with-S", "start of the second window at `TIME`", text(&q.with.Start, &q.with.HasStart))
	f.Func("with-T", "end of the second window at `TIME`", text(&q.with.Finish, &q.with.HasFinish))
	f.Func("baseline", "compare with the window that is so long `BEFORE`: 'yesterday same time', '2 hours'", func(arg string) (err error) {
		q.baseline = arg
		q.earlier, err = when.ParseBaseline(arg)
		return err
	})
	f.StringVar(&q.where, "where", "", "compare the samples of one archive where `EXPR` holds, is not 0 for some instance, with the others")
	f.Func("metrics", "compare `METRIC`, those below it, an expression or a :REPORT (may be repeated)", func(arg string) error {
		q.metrics = append(q.metrics, arg)
		return nil
	})
	f.Func("threshold", "leave out what has a smaller `SCORE` (default 1)", score(&q.threshold, "--threshold"))
	f.Func("top", fmt.Sprintf("show `N` rows at most, changes first; 0 for all (default %d in a table)", tableTop), func(arg string) (err error) {
		if q.top, err = strconv.Atoi(arg); err != nil || q.top < 0 {
			return errors.New("--top requires a number of changes, or 0 for all")
		}
		return nil
	})
	f.Func("fail-over", "the status is 1 if a score is larger than `SCORE`; what only one side has does not count", score(&q.fail, "--fail-over"))
}

// sources takes the names of reports among arguments, which are compared, and returns the sources that the others name,
// as those of :source do.
func (q *compare) sources(args []string) (list []Side) {
	for i := 0; i < len(args); i++ {
		at := Side{Archive, args[i]}
		switch kind := args[i]; {
		case strings.HasPrefix(kind, ":"):
			q.metrics = append(q.metrics, kind)
			continue
		case kind == Local:
			at = Side{Kind: kind}
		case (kind == Host || kind == Archive) && i+1 < len(args):
			i++
			at = Side{kind, args[i]}
		}
		list = append(list, at)
	}
	return list
}

// compared returns the sources that are compared, with others. Those that the command line names are among them; the
// session's own, such as an archive of the environment, counts beside these where there are too few. A session that has
// no source yet gets the first.
func (s *Session) compared(others []Side, second bool) []Side {
	if s.opt.Sides == nil {
		return append(s.sides(), others...)
	}
	archives := 0 // which stand before the others
	if len(s.opt.Sides) > 0 && s.opt.Sides[0].Kind == Archive {
		archives = 1
	}
	at := slices.Concat(s.opt.Sides[:archives], others, s.opt.Sides[archives:])
	wanted := 2
	if second {
		wanted = 1
	}
	if s.kind == Archive && archives == 0 && len(at) < wanted {
		at = append(s.sides(), at...)
	}
	if len(at) > 0 && s.src == nil {
		s.kind, s.name = at[0].Kind, at[0].Name
	}
	return at
}

// second reports whether the second window has options of its own.
func (q *compare) second() bool { return q.with.HasStart || q.with.HasFinish || q.baseline != "" }

// check checks the options for a number of sources.
func (q *compare) check(sources int) error {
	switch {
	case q.where != "" && (sources > 1 || q.second()):
		return misuse("--where is for one window of one archive")
	case q.baseline != "" && (q.with.HasStart || q.with.HasFinish):
		return misuse("--baseline and --with-S, --with-T exclude each other")
	case sources > 2:
		return misuse("compare is for two sources, and there are %d", sources)
	case sources == 2 && q.baseline != "":
		return misuse("--baseline is for two windows of one archive")
	case sources < 2 && !q.second() && q.where == "":
		return misuse("compare requires a second archive or host, or a second window: --with-S TIME, --with-T TIME, or --baseline BEFORE; or --where EXPR")
	}
	return nil
}

// run answers the question.
func (q *compare) run(ctx context.Context, at []Side) error {
	done, err := q.open(ctx, at)
	defer done()
	if err == nil {
		err = q.expand(ctx)
	}
	if err == nil {
		err = q.windows(ctx)
	}
	if err == nil && q.where != "" {
		err = q.phases(ctx)
	}
	if err == nil {
		err = q.summarize(ctx)
	}
	if err != nil {
		return err
	}
	return q.answer(context.WithoutCancel(ctx)) // an interrupt ends the samples only
}

// open opens the sources. All are tried, so that each failure is reported.
func (q *compare) open(ctx context.Context, at []Side) (done func(), err error) {
	var opened []*side
	done = func() {
		for _, x := range opened {
			_ = x.Close() // it has been read
		}
	}
	for i, p := range []**side{&q.a, &q.b}[:len(at)] {
		x, bad := q.s.openSide(ctx, at[i], i == 0)
		if bad != nil && err != nil {
			q.s.complain(q.w, err)
		}
		if err = cmp.Or(bad, err); bad == nil && i > 0 {
			opened = append(opened, x)
		}
		*p = x
	}
	if len(at) == 1 && err == nil {
		same := *q.a
		q.b = &same
	}
	return done, err
}

// expand sets the expressions of the sides, for one source only once.
func (q *compare) expand(ctx context.Context) error {
	x, err := q.s.expandSide(ctx, q.a, q.metrics, q.w)
	if err != nil {
		return q.a.problem(err)
	}
	if q.rank, err = x.Rank(); err != nil {
		q.s.complain(q.w, query.Problemf("%v; all are compared", err))
	}
	if q.a.Source == q.b.Source {
		q.b.of = q.a.of
		return nil
	}
	if _, err := q.s.expandSide(ctx, q.b, q.metrics, q.w); err != nil {
		return q.b.problem(err)
	}
	return nil
}

// windows sets the windows of the sides. A baseline is the first side.
func (q *compare) windows(ctx context.Context) error {
	a, b := q.a, q.b
	if !a.live() && !b.live() && (q.options.HasInterval || q.options.HasSamples) {
		return query.Problemf("-t and -s are for hosts: archives are compared record by record")
	}
	if a.live() && q.where != "" {
		return query.Problemf("--where is for an archive, and %s is live", a.from)
	}
	if a.live() && a.Source == b.Source {
		return query.Problemf("two windows are those of an archive, and %s is live", a.from)
	}
	if q.where == "" && (a.Source == b.Source || a.from == b.from) {
		a.from, b.from = "window a of "+a.from, "window b of "+b.from
	}
	if q.baseline != "" {
		a, b = b, a
	}
	if err := q.window(ctx, a, q.options, false); err != nil {
		return err
	}
	if q.baseline != "" {
		return q.before(ctx, a, b)
	}
	o, with := q.options, q.with.HasStart || q.with.HasFinish
	if with || a.live() != b.live() {
		o = &q.with
		o.Interval, o.Samples = q.options.Interval, q.options.Samples
	}
	return q.window(ctx, b, o, with)
}

// window sets the window of a side. A live one is a number of samples: clocks of hosts differ.
func (q *compare) window(ctx context.Context, x *side, o *option.Options, with bool) error {
	if x.live() && o.HasStart {
		return x.problem(query.Problemf("a live source has no start; -T says when it ends"))
	}
	w := q.s.window(o, with, func(err error) { q.s.complain(q.w, err) })
	if err := x.over(ctx, w); err != nil {
		return x.problem(err)
	}
	t := &x.of.Times
	if !x.live() {
		return nil
	}
	t.Interval = cmp.Or(t.Interval, query.DefaultInterval)
	if end := t.End; end != (pcp.Timestamp{}) {
		last := end.Time().Sub(w.Now)
		if t.End = (pcp.Timestamp{}); last < 0 {
			return x.problem(query.Problemf("-T %s has passed, and the source is live", end.Time().In(w.Zone).Format(time.TimeOnly)))
		}
		t.Samples = min(cmp.Or(t.Samples, math.MaxInt32), int(min(last/t.Interval, math.MaxInt32-1))+1)
	}
	t.Samples = cmp.Or(t.Samples, liveSamples)
	return nil
}

// phases chooses the samples of the sides by an expression: those in which it does not hold are the usual ones.
func (q *compare) phases(ctx context.Context) error {
	p, err := q.s.phases(ctx, q.a.of.Times, q.where)
	if err != nil {
		return err
	}
	q.a.of.During, q.b.of.During = p.during(off), p.during(on)
	q.a.where, q.b.where = p.say(off), p.say(on)
	return nil
}

// before makes the window of a baseline from that of the other side.
func (q *compare) before(ctx context.Context, of, base *side) error {
	zone := q.s.zone
	from, to := of.of.Times.Start, of.of.Times.End
	first, last, err := of.Line.Bounds(ctx)
	if err != nil {
		return of.problem(err)
	}
	if to == (pcp.Timestamp{}) {
		to = last
	}
	t := &base.of.Times
	t.Start, t.End = pcp.TimestampOf(q.earlier.Of(from.Time(), zone)), pcp.TimestampOf(q.earlier.Of(to.Time(), zone))
	if t.End.Compare(first) < 0 {
		p := base.Empty(ctx, zone)
		p.Msg = fmt.Sprintf("there are no samples of the baseline '%s', %s", q.baseline, format.Span(t.Start.Time(), t.End.Time(), zone))
		return p
	}
	return nil
}

// summarize summarizes both sides, at the same time if both are live, and reports the problems of each, or once if
// they are the same. It returns the error of a side without any answer.
func (q *compare) summarize(ctx context.Context) (failed error) {
	q.announce()
	q.a.of.Instances, q.a.of.Compared = true, true
	q.b.of.Instances, q.b.of.Compared = true, true
	if q.a.live() && q.b.live() {
		var other sync.WaitGroup
		other.Go(func() { _ = q.s.summarize(ctx, q.b) }) // the side has the error
		_ = q.s.summarize(ctx, q.a)
		other.Wait()
	} else {
		_ = q.s.summarize(ctx, q.a)
		_ = q.s.summarize(ctx, q.b)
	}
	var errs [2]error
	for i, x := range []*side{q.a, q.b} {
		if errs[i] = x.err; x.err != nil {
			failed = errIncomplete
		} else {
			errs[i] = x.sum.Err
		}
	}
	if errs[0] != nil && errs[1] != nil && errs[0].Error() == errs[1].Error() {
		q.s.complain(q.w, errs[0])
		return failed
	}
	for i, x := range []*side{q.a, q.b} {
		if errs[i] != nil {
			q.s.complain(q.w, x.problem(errs[i]))
		}
	}
	return failed
}

// announce says how long live sources are sampled.
func (q *compare) announce() {
	var names []string
	var t *sampling.Times
	for _, x := range []*side{q.a, q.b} {
		if x.live() {
			names, t = append(names, x.from), &x.of.Times
		}
	}
	if t != nil {
		q.s.note(q.w, fmt.Sprintf("%s: %s, %v apart; Ctrl-C ends that", strings.Join(names, ", "), textwidth.Plural(t.Samples, "sample"), t.Interval))
	}
}

// answer shows what differs.
func (q *compare) answer(ctx context.Context) error {
	a, b := q.a.sum, q.b.sum
	if q.rank > 0 {
		a.Rows, b.Rows = summary.Ranked(a.Rows, b.Rows, q.rank)
	}
	x := summary.Compare(a.Rows, b.Rows, q.threshold)
	top := max(q.top, 0)
	if q.top < 0 && q.s.set.Output == answer.Forms()[0] {
		top = tableTop
	}
	err := q.s.show(ctx, q.w, digest.Differences(q.s.digest(), x, [2]digest.Part{q.a.part(), q.b.part()}, top))
	missing := a.Err != nil || b.Err != nil
	switch {
	case err != nil:
		return err
	case !missing && len(x.Changed)+x.Same == 0:
		q.s.complain(q.w, query.Problemf("the two have no metric with samples in common"))
		return errIncomplete
	case missing:
		return errIncomplete
	case x.Largest > q.fail:
		return errOver
	}
	return nil
}
