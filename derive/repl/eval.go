package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A Window says which samples Eval takes. The zero Window is one sample at the start.
type Window struct {
	Timed    bool          // several samples
	Start    pcp.Timestamp // of an archive
	End      pcp.Timestamp // if HasEnd
	HasEnd   bool
	Interval time.Duration // between samples; 0 means that of the settings
	Samples  int           // at most, 0 for no bound
	Delay    bool          // wait between samples of an archive too
	Plot     bool          // draw a chart of the samples
	Select   Selection
	All      bool   // it is an error if one of several hosts does not answer
	Picture  string // the file that the chart is drawn into; "" for the terminal
}

// Eval evaluates expressions, one or many times, and writes their values in the form that is set.
// Those that are wrong do not keep the others from being evaluated; the error holds Problems for
// them. One may be written NAME = EXPR; the others may use that name. A name that has metrics below it
// stands for them.
func (s *Session) Eval(ctx context.Context, exprs []string, win *Window, w io.Writer) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.noteLost(s.eval(ctx, exprs, win, w))
}

// eval is Eval for a caller that has acquired the Session.
func (s *Session) eval(ctx context.Context, exprs []string, win *Window, w io.Writer) error {
	if s.set.Output == "openmetrics" && win.Timed && win.Samples != 1 {
		return problemf("openmetrics is for one sample only")
	}
	if s.hosts != nil {
		return s.everywhere(ctx, exprs, s.set.Output, win, w)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	q, bad, err := s.compileAll(ctx, exprs, &win.Select, s.noteTo(w))
	if err != nil {
		return err
	}
	if q != nil {
		err = s.take(ctx, q, win, w)
	}
	if bad == nil {
		return err
	}
	if err != nil {
		bad = append(bad, &Problem{Msg: err.Error(), Err: err})
	}
	return bad
}

// compileAll makes expressions, and the selection of their values, ready to be fetched.
func (s *Session) compileAll(ctx context.Context, exprs []string, sel *Selection, note func(string)) (*query, Problems, error) {
	exprs, err := s.expand(ctx, exprs)
	if err != nil {
		return nil, nil, err
	}
	texts, names := make([]string, len(exprs)), make([]string, len(exprs))
	defs := s.defs
	for i, e := range exprs {
		texts[i], names[i], defs = named(e, defs)
	}
	b := s.newBinder(ctx, defs, true)
	for i := range texts {
		if sel.Units != "" {
			texts[i] = b.rescaled(ctx, texts[i], sel.Units)
		}
	}
	q, bad, err := s.queries(ctx, b, texts, names, note)
	if err == nil && q != nil {
		err = b.where(ctx, q, sel.Where)
	}
	return q, bad, err
}

// take takes the samples of a window and writes their values.
func (s *Session) take(ctx context.Context, q *query, win *Window, w io.Writer) error {
	if s.line != nil && win.Timed {
		s.at = win.Start
	}
	if !win.Timed {
		smp, err := s.once(ctx, q, &win.Select)
		if err != nil || smp == nil {
			return err
		}
		return s.write(ctx, w, q, smp)
	}
	output := s.set.Output
	if win.Plot {
		output = Chart
	}
	out, err := s.writer(ctx, w, output, q, win)
	if err != nil {
		return err
	}
	_, err = s.over(ctx, q, win, out)
	return err
}

// over takes the samples of a window, hands them on, and returns how many there were.
func (s *Session) over(ctx context.Context, q *query, win *Window, out Writer) (taken int, err error) {
	interval := win.Interval
	if interval <= 0 {
		interval = s.set.Interval
	}
	p, err := s.newSampler(q, interval)
	if err != nil {
		return 0, err
	}
	if win.Delay {
		p.delay = interval
	}
	p.end, p.bounded = win.End, win.HasEnd
	err = p.warmUp(ctx, q.depth(s.raw()))
	p.sel = &win.Select
	for written := 0; err == nil && (win.Samples <= 0 || taken < win.Samples) && (p.sel.Limit <= 0 || written < p.sel.Limit); {
		var res *pcp.Result
		if res, err = p.next(ctx); err == nil {
			var smp *Sample
			if smp, err = p.take(ctx, res); smp != nil && err == nil {
				err = out.Sample(ctx, smp)
				written++
			}
			taken++
		}
	}
	if e := out.Close(); e != nil && (err == nil || errors.Is(err, errEnd)) {
		return taken, e
	}
	if errors.Is(err, errEnd) {
		if taken == 0 {
			return 0, problemf("there are no samples in that time")
		}
		return taken, nil
	}
	return taken, err
}

// Bounds returns what there is to know of time for a window: whether the source is an archive, and
// where it begins and ends. An error is that of the end.
func (s *Session) Bounds(ctx context.Context) (recorded bool, start, end pcp.Timestamp, err error) {
	if err := s.acquire(ctx); err != nil {
		return false, start, end, err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return false, start, end, err
	}
	if s.line == nil {
		return false, start, end, nil
	}
	start, end, err = s.line.Bounds(ctx)
	return true, start, end, err
}

// SetStep makes an archive be read at times that far apart, instead of record by record.
func (s *Session) SetStep(step time.Duration) {
	<-s.lock
	defer s.release()
	s.step = step
}

// UseSourceZone makes the zone of the source that in which times are shown and meant.
func (s *Session) UseSourceZone(ctx context.Context, load func(tz string) (*time.Location, error)) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return err
	}
	tz, err := pmapi.Zone(ctx, s.src)
	if err != nil {
		return fmt.Errorf("the time zone of the source is not known: %w", err)
	}
	zone, err := load(tz)
	if err != nil {
		return err
	}
	s.zone = zone
	return nil
}
