package repl

import (
	"context"
	"errors"
	"io"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
)

// Forms of output besides Outputs.
const (
	Chart = "chart" // lines over time
	Watch = "watch" // a line for each value, drawn over the one before on a terminal
)

// A Writer writes samples in one form of output.
type Writer interface {
	Sample(context.Context, *Sample) error
	// Close writes what has not been written yet.
	Close() error
}

// A Run is what the samples that a Writer gets have in common.
type Run struct {
	Output     string // one of Outputs, Chart or Watch
	Exprs      []Expr
	Kind, Name string         // of the source
	Host       string         // whose metrics they are, for outputs that show it
	Hosts      bool           // they are those of several hosts, and each value has its Host
	Zone       *time.Location // in which times are shown
	Live       bool           // the samples come as time goes by
	Window     Window
	Settings   Settings
}

// An Expr is an expression whose values are written.
type Expr struct {
	Name string
	Desc pcp.Desc
	Rate *pcp.Desc // of the rate if that is written instead of the value, else nil
}

// writer returns what writes samples of a query.
func (s *Session) writer(ctx context.Context, w io.Writer, output string, q *query, win *Window) (Writer, error) {
	if s.opt.Output == nil {
		return nil, problemf("values cannot be written here")
	}
	run := s.runOf(output, q, win)
	if output == "json" {
		// Beside an error there is a guess, which is good enough.
		run.Host, _ = pmapi.HostName(ctx, s.src)
	}
	return s.opt.Output(w, run)
}

// runOf returns what the samples of a query have in common.
func (s *Session) runOf(output string, q *query, win *Window) *Run {
	run := &Run{Output: output, Kind: s.kind, Name: pmcd.Redact(s.name), Zone: s.zone, Live: s.line == nil, Window: *win, Settings: s.set}
	for i, c := range q.exprs {
		e := Expr{Name: q.names[i], Desc: c.info.Root.Desc(pcp.NullID)}
		if c.rate && !s.raw() {
			rate := c.rateOf.Root.Desc(pcp.NullID)
			e.Rate = &rate
		}
		run.Exprs = append(run.Exprs, e)
	}
	return run
}

// write writes one sample in the form of output that is set.
func (s *Session) write(ctx context.Context, w io.Writer, q *query, smp *Sample) error {
	out, err := s.writer(ctx, w, s.set.Output, q, &Window{Samples: 1})
	if err != nil {
		return err
	}
	if err := errors.Join(out.Sample(ctx, smp), out.Close()); err != nil {
		return err
	}
	return setErrors(smp)
}

// setErrors returns the error of the expressions that have one instead of values.
func setErrors(smp *Sample) error {
	errs := make([]error, len(smp.Sets))
	for i, set := range smp.Sets {
		errs[i] = set.Err
	}
	return errors.Join(errs...)
}
