package repl

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// maxIntervals bounds the memory of an answer.
const maxIntervals = 1 << 20

func newWhen() *Verb {
	return &Verb{
		Name: "when", Usage: "EXPR", Short: "List the intervals of time in which an expression is not 0",
		Long: "List the intervals of time in which an expression is not 0, of each instance: from when to when, how long,\n" +
			"the peak and the mean over time. Of a comparison with a constant these are those of the other operand; with\n" +
			"< and <= the peak is its smallest value. An interval ends with the first sample where the expression is 0,\n" +
			"or with the last one before a gap: missing values, or an interruption of the recording. The column open says\n" +
			"which ends are not known: begin, end or both. An archive is read record by record unless there is -t, live\n" +
			"values until -T, -s or Ctrl-C. In the shell the status is 3 if there is no interval.",
		Doors: Both, Operands: Expr, Least: 1, Most: 1, Asks: true, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			var least time.Duration
			f.Shared("start", "finish", "align", "origin", "interval", "samples")
			f.Span(&least, "for", "", "leave out intervals that are shorter than `TIME`")
			f.Output(answer.Forms(), "json")
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				x := &intervals{least: least, tracks: make(map[int32]*track)}
				err := x.run(ctx, s, f.Time, item.Expr(args[0]), w)
				if err == nil && len(x.list) == 0 && f.Door == Shell {
					return ErrNothing
				}
				return err
			}
		},
	}
}

// intervals is the question when an expression is not 0.
type intervals struct {
	least   time.Duration
	low     bool          // the peak is the smallest value
	between bool          // values are of the time since the sample before
	sample  int           // the number of the current one
	before  pcp.Timestamp // the time of the sample before; zero for none
	any     bool          // there have been values
	tracks  map[int32]*track
	values  map[int32]float64 // of the operand in the current sample
	list    []digest.Interval
	short   int // how many were shorter than least
}

// A track is the state of an instance: its last sample and, if the expression is not 0 there, the current interval.
type track struct {
	digest.Interval
	sample    int
	at        pcp.Timestamp
	on        bool
	value     float64 // in the last sample
	sum, held float64 // of values, each times the time for which it holds, and of these times
}

// run shows the intervals, also those found before an error or an interrupt.
func (x *intervals) run(ctx context.Context, s *Session, o *option.Options, text string, w io.Writer) error {
	if s.fleet != nil {
		return query.Problemf("intervals are of one host")
	}
	exprs, err := x.compile(ctx, s, text)
	if err != nil {
		return err
	}
	q := &query.Query{Exprs: exprs, Gaps: true}
	if err := s.Times(ctx, o, q); err != nil {
		return err
	}
	st, err := s.Query(ctx, q)
	if err != nil {
		return err
	}
	if err := st.Err; err != nil {
		return err
	}
	var none error // why there are no values
	for smp, bad := range st.Samples {
		if err = bad; err == nil {
			none = cmp.Or(none, smp.Err())
			err = x.add(smp)
		}
		if err != nil {
			break
		}
	}
	x.end()
	switch {
	case !x.any && len(st.Scattered()) > 0:
		return scattered(text)
	case !x.any:
		return cmp.Or(err, none, error(query.Problemf("%s has no values in that time", text)))
	case ctx.Err() != nil:
		err = nil // that is how live samples end
	}
	slices.SortFunc(x.list, func(a, b digest.Interval) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.ID, b.ID))
	})
	t := &digest.Intervals{Form: s.digest(), Expr: text, Metric: &st.Header.Metrics[len(exprs)-1], List: x.list}
	table := t.Table()
	if x.short > 0 {
		table.Notes = append(table.Notes, textwidth.Plural(x.short, "interval")+" shorter than --for left out")
	}
	shown := s.show(context.WithoutCancel(ctx), w, table)
	return cmp.Or(shown, err)
}

// compile checks an expression, and returns it and the operand that it compares with a constant, if it does.
func (x *intervals) compile(ctx context.Context, s *Session, text string) ([]string, error) {
	c, err := s.binder().Compile(ctx, text)
	if err != nil {
		return nil, err
	}
	operand, low := compared(c.Tree)
	switch root := c.Info.Root; {
	case !root.Type.Arithmetic():
		return nil, query.Problemf("when wants a number: %s", diagnose.Metadata(root))
	case operand != nil && root.Sem == pcp.Counter:
		p := query.Problemf("%s compares a counter, which only grows", text)
		p.Notes = []string{"compare its rate: rate(" + syntax.Print(operand) + ")"}
		return nil, p
	}
	x.between, x.low = c.Rate != nil || c.Changes(), low
	if operand == nil {
		return []string{text}, nil
	}
	return []string{text, syntax.Print(operand)}, nil
}

// compared returns the operand that an expression compares with a constant, or nil, and whether it is to be the smaller one.
func compared(x syntax.Expr) (operand syntax.Expr, low bool) {
	b, ok := syntax.Unparen(x).(*syntax.BinaryExpr)
	if !ok || b.Op.Precedence() != syntax.EQ.Precedence() {
		return nil, false
	}
	less := b.Op == syntax.LT || b.Op == syntax.LEQ
	switch more := b.Op == syntax.GT || b.Op == syntax.GEQ; {
	case constant(b.Y):
		return syntax.Unparen(b.X), less
	case constant(b.X):
		return syntax.Unparen(b.Y), more
	}
	return nil, false
}

// constant reports whether an expression is a number.
func constant(x syntax.Expr) bool {
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
		return true
	case *syntax.UnaryExpr:
		return n.Op == syntax.MINUS && constant(n.X)
	}
	return false
}

// add adds a sample. An instance without a value there has a gap.
func (x *intervals) add(smp *sampling.Sample) error {
	defer func() { x.before = smp.Time }()
	if x.sample++; smp.Gap {
		if x.end(); x.between {
			return nil // the values are those of the gap
		}
	}
	set, of := &smp.Sets[0], &smp.Sets[len(smp.Sets)-1]
	values := x.numbers(of)
	for i := range set.Len() {
		v := sampling.Value{Value: set.Value(i)}
		id, number := set.ID(i), v.Number()
		value, ok := values[id]
		if math.IsNaN(number) || !ok {
			continue
		}
		t := x.tracks[id]
		if t == nil {
			t = &track{}
			x.tracks[id] = t
		}
		x.step(t, smp.Time, number != 0, value)
		if t.on && t.Instance == "" {
			t.ID, t.Instance = id, set.At(i).Instance
		}
	}
	for id, t := range x.tracks {
		if t.sample != x.sample {
			x.close(t, true)
			delete(x.tracks, id)
		}
	}
	if len(x.list) > maxIntervals {
		return query.Problemf("there are more than %d intervals; --for leaves out short ones", maxIntervals)
	}
	return nil
}

// numbers returns the numbers of a set by their instances.
func (x *intervals) numbers(set *sampling.Set) map[int32]float64 {
	if x.values == nil {
		x.values = make(map[int32]float64)
	}
	clear(x.values)
	for i := range set.Len() {
		v := sampling.Value{Value: set.Value(i)}
		if f := v.Number(); !math.IsNaN(f) {
			x.values[set.ID(i)] = f
			x.any = true
		}
	}
	return x.values
}

// step adds the sample of an instance. A value holds until the next sample, or else since the one before.
func (x *intervals) step(t *track, at pcp.Timestamp, on bool, value float64) {
	known, from := t.sample > 0, at
	if x.between && x.before != (pcp.Timestamp{}) {
		from = x.before
	}
	if t.on && !x.between {
		t.hold(t.value, t.at, at)
	}
	switch {
	case t.on && !on:
		x.close(t, false)
	case on && !t.on:
		*t = track{Interval: digest.Interval{From: from, To: at, Begun: !known, Peak: value}, on: true}
	}
	if on && x.between {
		t.hold(value, from, at)
	}
	t.sample, t.at, t.value = x.sample, at, value
	switch {
	case on && x.low:
		t.Peak = min(t.Peak, value)
	case on:
		t.Peak = max(t.Peak, value)
	}
}

// hold adds a value that holds for some time.
func (t *track) hold(value float64, from, to pcp.Timestamp) {
	seconds := to.Sub(from)
	t.sum, t.held, t.To = t.sum+value*seconds, t.held+seconds, to
}

// close ends the interval of an instance, if it is in one.
func (x *intervals) close(t *track, goesOn bool) {
	if !t.on {
		return
	}
	t.on, t.GoesOn = false, goesOn
	if t.Mean = t.Peak; t.held > 0 { // otherwise there is one value
		t.Mean = t.sum / t.held
	}
	if t.Seconds() >= x.least.Seconds() {
		x.list = append(x.list, t.Interval)
	} else {
		x.short++
	}
}

// end ends all intervals where samples end, or recording was interrupted.
func (x *intervals) end() {
	for _, t := range x.tracks {
		x.close(t, true)
	}
	clear(x.tracks)
}
