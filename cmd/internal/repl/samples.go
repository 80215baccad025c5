package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/sampling"
)

// A Form says how samples are written.
type Form struct {
	Output   string // one of Outputs, Chart or Watch
	Picture  string // the file that a chart is drawn into; "" for the terminal
	Title    string // of a chart; "" for the names of its metrics
	Rows     bool   // a table has a line for each value
	Delay    bool   // recorded samples are waited for as live ones are
	Heading  string // a line above tables and rows; "" for none
	Settings *Settings
}

// Forms of output besides Outputs.
const (
	Chart = "chart" // lines over time
	Watch = "watch" // a line for each value, drawn over the one before on a terminal
)

// Query returns the samples of expressions, with errors as those of query.Run. It is for what holds the Session.
func (s *Session) Query(ctx context.Context, q *query.Query) (st *query.Stream, err error) {
	own := *q
	own.Zone, own.Interval = s.zone, cmp.Or(own.Interval, s.set.Interval)
	if s.fleet != nil {
		own.Source = sampling.Source{Kind: "hosts"}
		return s.fleet.Run(ctx, s.defs, &own)
	}
	own.Source = sampling.Source{Kind: s.kind, Name: pmcd.Redact(s.name)}
	if s.recorded != nil {
		return s.recorded.Run(ctx, s.defs, &own)
	}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	own.Source.Kind = s.kind // of what there is instead of the default
	st, err = query.Run(ctx, s.src, s.defs, &own)
	if st != nil {
		samples := st.Samples
		st.Samples = func(yield func(*sampling.Sample, error) bool) {
			samples(func(smp *sampling.Sample, err error) bool {
				_ = s.noteLost(err) // an interrupt, too, which need not be an error of the answer
				return yield(smp, err)
			})
		}
		lint.ExplainZeros(st, s.opt.Note)
	}
	return st, err
}

// Write writes samples in a form, and returns how many there were.
func (s *Session) Write(ctx context.Context, w io.Writer, st *query.Stream, f Form) (int, error) {
	return st.Write(ctx, func(h *sampling.Header) (sampling.Writer, error) {
		if f.Output == "json" && h.Hosts == nil {
			h.Source.Host, _ = pmapi.HostName(ctx, s.src) // beside an error there is a guess, which is good enough
		}
		return s.opt.Output(w, h, f)
	})
}

// UseSourceZone makes the zone of the source that in which times are shown and meant.
func (s *Session) UseSourceZone(ctx context.Context, load func(tz string) (*time.Location, error)) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	tz, err := pmapi.Zone(ctx, s.src)
	if err != nil {
		return fmt.Errorf("the time zone of the source is not known: %w", err)
	}
	s.zone, err = load(tz)
	return err
}
