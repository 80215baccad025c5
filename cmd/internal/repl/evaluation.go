package repl

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"pmtools/cmd/internal/item"
	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/report"
	"pmtools/cmd/internal/samples"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
)

// ErrNothing is the error of an answer that is empty: status 3 in the shell, for when, for eval --where and for eval --fail-empty.
var ErrNothing = errors.New("there are no values")

// plotSamples is how many live samples a chart has if not set.
const plotSamples = 60

// An evaluation is expressions that are evaluated, with the options of eval.
type evaluation struct {
	*Flags
	selection query.Selection
	delay     bool
	plot      string // the file of a picture, or terminalChart; "" for none
	title     string // of a chart
	file      string // for output
	archive   string // the base name of the archive to write, "" for none
	failEmpty bool
	over      bool   // as time goes by, without an option about time, too
	drawn     bool   // over the values before, on a terminal
	heading   string // of reports
	noAverage bool   // a report over time does not end in averages
}

// Values of options that may stand alone.
const (
	terminalChart = "-" // of --plot
	unitsInNames  = "-" // of --units
)

// evaluation adds the options of eval, of which --plot has a default.
func (f *Flags) evaluation(plot string) *evaluation {
	e := &evaluation{Flags: f}
	f.Fleet = &Fleet{}
	f.Shared("start", "finish", "align", "origin", "interval", "samples")
	f.BoolVarP(&e.delay, "delay", "d", false, "delay, pause between samples of an archive")
	f.Output(outputs, "json")
	f.Numbers()
	f.keys("verbose", "wide", "vertical", "long", "header", "timestamp", "delimiter", "safe-csv")
	f.keys("raw", "top", "sort", "across")
	f.StringVar(&e.plot, "plot", plot, "draw a chart of the values, or a picture if a `FILE` follows, .svg or .png")
	f.Lookup("plot").NoOptDefVal = terminalChart
	f.StringVar(&e.title, "title", "", "write `TEXT` above a chart instead of the names of its metrics")
	f.add(&setting{
		key: "units", usage: "convert values of this dimension to `UNITS`, as in --units=Mbyte/s or Mbit/s; alone: put units after the names in csv, or in a column of their own",
		alone: unitsInNames, get: func(*Settings) string { return "" }, set: e.convert,
	})
	f.StringSliceVarP(&e.selection.Instances, "instances", "i", nil, "show only the instances of `NAMES`, or patterns of names")
	f.StringVar(&e.selection.Where, "where", "", "show only samples, or instances, where `EXPR` is not 0")
	f.IntVar(&e.selection.Limit, "limit", 0, "write at most `N` samples")
	f.BoolVar(&e.noAverage, "no-average", false, "leave out the averages that end a report over time")
	f.StringVar(&e.file, "output-file", "", "write to `FILE`, and replace its content")
	if f.Door == Prompt {
		f.missing("is an option of the shell; :source host NAME NAME takes several hosts", "hosts", "all-hosts")
		f.missing("is an option of the shell; :record FILE records", "archive-out")
		f.missing("is an option of the shell; it decides the exit status", "fail-empty")
		return e
	}
	f.BoolVar(&e.failEmpty, "fail-empty", false, "end with status 3 if no value was written, as when --where finds nothing")
	f.StringVar(&e.archive, "archive-out", "", "write the metrics into an archive, `BASE`.meta and so on, instead of showing them")
	f.StringVar(&f.Fleet.File, "hosts", "", "read hosts from `FILE`, one per line or in Prometheus's JSON; - is standard input")
	f.Gone("the status is 1 unless all hosts answer", "all-hosts")
	return e
}

// convert reads the value of --units.
func (e *evaluation) convert(set *Settings, text string) error {
	if set.Units = text == unitsInNames; set.Units {
		return nil
	}
	e.selection.Units = text
	return query.ParseUnits(text)
}

// units takes units that stand for themselves after --units.
func (e *evaluation) units(s *Session, args []string) []string {
	i := slices.IndexFunc(args, func(word string) bool { return strings.Contains(word, "/") && query.ParseUnits(word) == nil })
	if i < 0 {
		return args
	}
	e.selection.Units, s.set.Units = args[i], false
	return slices.Delete(args, i, i+1)
}

// paced takes an interval that stands before the operands.
func (e *evaluation) paced(args []string) []string {
	d, args := leading(args, item.Interval)
	if d > 0 {
		e.Time.Interval, e.Time.HasInterval = d, true
	}
	return args
}

// counted takes an interval, and a number of samples after it, from the end of the names of reports: ":vmstat 1 5" is of five
// samples a second apart, as vmstat(8) has it.
func (e *evaluation) counted(args []string) []string {
	i := slices.IndexFunc(args, startsWithDigit)
	if i < 1 || i < len(args)-2 {
		return args
	}
	d, err := when.ParseInterval(args[i])
	if err != nil || d <= 0 {
		return args
	}
	if i == len(args)-2 {
		n, err := strconv.Atoi(args[i+1])
		if err != nil || n < 1 {
			return args
		}
		e.Time.Samples, e.Time.HasSamples = n, true
	}
	e.Time.Interval, e.Time.HasInterval = d, true
	return args[:i]
}

func startsWithDigit(word string) bool { return word != "" && '0' <= word[0] && word[0] <= '9' }

// check checks that options fit together.
func (e *evaluation) check(s *Session) error {
	if e.plot != "" && e.file != "" && (picture.Is(e.file) || e.Name() == "plot") {
		e.plot, e.file = e.file, ""
	}
	switch {
	case e.plot != "" && e.plot != terminalChart && !picture.Is(e.plot):
		return misuse("--plot=%s: a picture's name ends in .svg or .png", e.plot)
	case e.title != "" && e.plot == "":
		return misuse("--title is for charts: add --plot")
	case e.selection.Limit < 0:
		return misuse("--limit requires a number of samples")
	case e.failEmpty && e.archive != "":
		return misuse("--fail-empty is about values that are written, and --archive-out shows none")
	case s.fleet != nil && e.archive != "":
		return misuse("--archive-out is for one host")
	}
	return nil
}

// run evaluates expressions and writes their values.
func (e *evaluation) run(ctx context.Context, s *Session, args []string, w io.Writer) (failed error) {
	if err := e.check(s); err != nil {
		return err
	}
	if e.archive != "" {
		return e.record(ctx, s, args, w)
	}
	if e.plot != "" {
		if word, rest, _ := strings.Cut(strings.Join(args, " "), " "); picture.Is(word) {
			return misuse("%s is a file: --output-file %s %s", word, word, rest)
		}
	}
	if e.Changed("units") && e.selection.Units == "" {
		args = e.units(s, args)
	}
	if err := e.connect(ctx, s, args); err != nil {
		return err
	}
	if e.Changed("across") && s.fleet == nil && s.recorded == nil {
		return misuse("--across is for several hosts, which -h, --hosts or the archives of -a name")
	}
	reports, src := report.Named(args), s.src
	var x report.Expansion
	if reports {
		if e.Changed("top") {
			return misuse("--top is for expressions: each column of a report would have other instances; 'limit = N' in its file chooses them")
		}
		asked, done, err := s.asked(ctx)
		if err != nil {
			return err
		}
		defer done()
		if x, err = e.expand(ctx, s, asked, args, w); err != nil {
			return err
		}
		src = asked
	}
	q, err := e.query(ctx, s)
	if err != nil {
		return err
	}
	q.Exprs, e.heading = args, s.combined()
	if unit := e.selection.Units; unit != "" && s.set.Output == "csv" && !s.set.Units {
		s.note(w, "what converts is in "+unit+"; --units="+unit+" --units writes units, too")
	}
	averages := reports && e.averages(s, q, args)
	if reports {
		e.columns(s, src, q, &x, averages)
	}
	if s.set.Output == "openmetrics" && !q.Once && q.Times.Samples != 1 {
		return query.Problemf("openmetrics is for one sample only")
	}
	if e.file != "" {
		file, err := s.opt.Files.Create(e.file)
		if err != nil {
			return err
		}
		defer func() {
			err := file.Close()
			failed = cmp.Or(failed, err)
		}()
		w = file
	}
	st, err := s.Query(ctx, q)
	if err != nil {
		return e.ended(ctx, q, err)
	}
	if averages {
		x.Average(st)
	}
	if reports {
		x.Shape(ctx, st)
	}
	values := 0
	if e.failEmpty || e.selection.Where != "" {
		st.Count(&values)
	}
	if err := e.ended(ctx, q, st.Err, e.write(ctx, s, st, q, w)); errors.Is(err, samples.ErrNone) {
		return ErrNothing
	} else if err != nil {
		return err
	}
	switch {
	case values > 0 || !e.failEmpty && e.selection.Where == "":
		return nil
	case !e.failEmpty:
		s.complain(w, e.unselected(s, q))
	}
	if e.Door == Prompt {
		return nil
	}
	return ErrNothing
}

// columns makes a query one of the columns of reports, whose metrics stand in several records of an archive. A report chooses its
// instances itself.
func (e *evaluation) columns(s *Session, src *query.Source, q *query.Query, x *report.Expansion, averages bool) {
	q.Exprs, q.Select.Top, e.heading = x.Exprs, 0, x.Heading()
	if averages {
		q.Exprs = x.Averaged()
	}
	if s.fleet != nil || src.Line == nil {
		return
	}
	q.Step = cmp.Or(src.Step, query.DefaultInterval)
	if e.selection.Where != "" && !e.Time.HasInterval {
		q.Times.Interval = q.Step
	}
}

// combined tells what --across makes of the hosts; "" without it, or for one source.
func (s *Session) combined() string {
	hosts := 0
	switch {
	case s.set.Across == "":
	case s.fleet != nil:
		hosts = len(s.fleet.Hosts())
	case s.recorded != nil:
		hosts = len(s.recorded.Names)
	}
	if hosts == 0 {
		return ""
	}
	return s.set.Across + " of " + textwidth.Plural(hosts, "host")
}

// unselected tells that --where has found nothing.
func (e *evaluation) unselected(s *Session, q *query.Query) *diagnose.Problem {
	p := query.Problemf("--where %s selects nothing", e.selection.Where)
	if s.past() && q.Times.Interval == 0 {
		p.Notes = []string{"these are records, which may have other metrics each; with an interval, such as -t 10sec, values between records are interpolated"}
	}
	return p
}

// past reports whether the source is recorded.
func (s *Session) past() bool { return s.recorded != nil || !s.live() }

// averages reports whether the samples end in their averages: those of reports do, in a table that is not drawn over itself.
func (e *evaluation) averages(s *Session, q *query.Query, args []string) bool {
	for _, arg := range args {
		if !report.IsName(arg) {
			return false
		}
	}
	return !e.noAverage && !q.Once && e.plot == "" && !e.drawn && s.set.Output == outputs[0]
}

// ended returns the error of a query. An interrupt is how samples over time end.
func (e *evaluation) ended(ctx context.Context, q *query.Query, errs ...error) error {
	if !q.Once && ctx.Err() != nil {
		return nil
	}
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	if list := diagnose.Joined(err); len(list) == 1 {
		return list[0]
	}
	return err
}

// expand puts the columns of reports in the place of their names. Times that a report asks for hold unless the options have them.
func (e *evaluation) expand(ctx context.Context, s *Session, src *query.Source, args []string, w io.Writer) (report.Expansion, error) {
	x, err := s.expand(ctx, src, args, func(p *diagnose.Problem) {
		if e.Name() == "report" {
			s.note(w, p.Msg)
		} else {
			s.complain(w, p)
		}
	})
	if err != nil {
		return x, err
	}
	o := e.Time
	if d, ok := x.Interval(); ok && !o.HasInterval && (d > 0 || src.Line != nil) {
		o.Interval, o.HasInterval = d, true
	}
	if n := x.Samples(); n > 0 && !o.HasSamples {
		o.Samples, o.HasSamples = n, true
	}
	return x, nil
}

// query returns the query that the options ask for, but for its expressions.
func (e *evaluation) query(ctx context.Context, s *Session) (*query.Query, error) {
	o := e.Time
	q := &query.Query{Expand: true, Select: e.selection, Across: s.set.Across}
	q.Raw = s.set.Raw || s.set.Output == "openmetrics" // which has counters of its own
	q.Select.Top, q.Select.Sort = s.set.Top, s.set.Sort
	if q.Select.Top > 0 && q.Select.Sort == query.Sorts()[0] && !e.Changed("sort") {
		q.Select.Sort = "value"
	}
	e.over = e.over || e.selection.Where != "" && s.past()
	if q.Once = !(o.HasStart || o.HasFinish || o.HasAlign || o.HasOrigin || o.HasInterval || o.HasSamples || e.delay || e.plot != "" || e.over); q.Once {
		return q, nil
	}
	if !o.HasSamples && s.set.Samples > 0 {
		o.Samples, o.HasSamples = s.set.Samples, true
	}
	q.Times.Delay = e.delay
	if err := s.Times(ctx, o, q); err != nil {
		return nil, err
	}
	if !s.past() && s.fleet == nil && (e.over || e.Door == Prompt) {
		q.Times.Interval = cmp.Or(q.Times.Interval, s.set.Interval)
	}
	if e.plot != "" && q.Times.Samples == 0 && !s.past() && q.Times.End == (pcp.Timestamp{}) {
		q.Times.Samples = plotSamples
	}
	return q, nil
}

// write writes the samples of a query.
func (e *evaluation) write(ctx context.Context, s *Session, st *query.Stream, q *query.Query, w io.Writer) error {
	form := Form{Output: s.set.Output, Rows: s.set.Vertical || q.Select.Top > 0 || strings.Contains(s.set.Across, " "), Settings: &s.set}
	if e.Door == Prompt && q.Once && e.plot == "" && e.file == "" && form.Output == outputs[0] && len(st.Exprs) == 1 && e.heading == "" {
		s.noteExprs(w, st)
		return s.showOne(ctx, w, st)
	}
	form.Delay, form.Heading = e.delay, e.heading
	switch {
	case e.plot != "":
		form.Title = e.title
		if form.Output = Chart; e.plot != terminalChart {
			form.Picture = e.plot
		}
		for i, x := range st.Exprs {
			if x.Info.Root.Type.Arithmetic() {
				break
			} else if i == len(st.Exprs)-1 {
				return query.Problemf("the values are not numbers: %s", diagnose.Metadata(x.Info.Root))
			}
		}
	case e.drawn && form.Output == outputs[0] && (e.Name() == "top" || !s.past()):
		form.Output = Watch
	}
	if !slices.Contains(outputs[1:], form.Output) { // those are for programs
		s.noteExprs(w, st)
	}
	_, err := s.Write(ctx, w, st, form)
	for _, name := range st.Scattered() {
		s.complain(w, scattered(name))
	}
	return err
}

// scattered returns the error of an expression without values, because its metrics are in different records.
func scattered(name string) error {
	return query.Problemf("no record has all metrics of %s; with an interval, such as -t 10sec, values between records are interpolated", name)
}
