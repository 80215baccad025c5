// Package digest answers questions about windows of time: the numbers of a source in a window, and what
// differs between two windows, of one source or of two.
//
// A [Question] has options, which commands and items of the prompt share; it asks the sources of an
// [Env] and writes the answer.
package digest

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/sampling"
)

// A Question is asked about sources. The error says why there is no answer, or why it is not complete.
type Question interface {
	Ask(ctx context.Context, env *Env, w io.Writer) error
}

// ErrReported is the error of an answer that is not complete. Env.Note has got the reasons.
var ErrReported = errors.New("the answer is not complete")

// A Form says how an answer is written.
type Form struct {
	Output  string // one of answer.Forms; others are the first one
	Numbers format.NumberForm
}

// full returns a number in full, or with as many digits as are asked for.
func (f *Form) full(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case f.Numbers.Precision >= 0:
		return strconv.FormatFloat(x, 'f', f.Numbers.Precision, 64)
	}
	return string(format.AppendShort(nil, x, 64))
}

// A Side names a source: a kind, host, archive, local or "" for the default, and the specification of
// the host or the list of archives.
type Side struct{ Kind, Name string }

// text returns the name of a source.
func (at Side) text() string {
	switch {
	case at.Name != "":
		return pmcd.Redact(at.Name)
	case at.Kind == "":
		return "local daemon"
	}
	return at.Kind
}

// An Env is what questions need of the world around them. None of its functions is called while another one runs.
type Env struct {
	Sides []Side                                           // the sources that there are
	Own   func(ctx context.Context) (*query.Source, error) // returns the first of them
	// Open opens another source, which the caller closes.
	Open func(ctx context.Context, side Side) (*query.Source, error)
	Defs *derive.Set
	// Expand puts expressions in the place of names of reports.
	Expand func(ctx context.Context, src *query.Source, exprs []string) (report.Expansion, error)

	Zone *time.Location
	Now  time.Time
	Note func(err error)   // gets what is wrong or doubtful beside the answer
	Say  func(line string) // gets how an answer comes about
	Form
	Table func(ctx context.Context, w io.Writer, t *answer.Table) error

	mu sync.Mutex
}

// A side is an open source and what there is to know about a window of it.
type side struct {
	Side
	*query.Source
	from string // of the source, for messages
	of   summary.Options
	sum  *summary.Summary
	err  error // why there is none
	host string
}

// open returns a side without a window. The first one is the Env's own.
func (env *Env) open(ctx context.Context, at Side, first bool) (s *side, err error) {
	env.mu.Lock()
	defer env.mu.Unlock()
	s = &side{Side: at, from: at.text()}
	if first {
		s.Source, err = env.Own(ctx)
	} else {
		s.Source, err = env.Open(ctx, at)
	}
	return s, err
}

// note passes on what is wrong or doubtful.
func (env *Env) note(err error) {
	env.mu.Lock()
	defer env.mu.Unlock()
	env.Note(err)
}

// expand sets the expressions of a side, some of which may be those of reports.
func (env *Env) expand(ctx context.Context, s *side, exprs []string) (x report.Expansion, err error) {
	env.mu.Lock()
	defer env.mu.Unlock()
	x, err = env.Expand(ctx, s.Source, exprs)
	s.of.Exprs, s.of.Wanted = x.Exprs, x.Wanted
	return x, err
}

// over sets the window of a side to that of options.
func (env *Env) over(ctx context.Context, s *side, o *option.Options, with bool) error {
	w := &query.Window{Options: o, Now: env.Now, Zone: env.Zone, With: with, Note: func(p *diagnose.Problem) { env.note(p) }}
	x, err := w.Over(ctx, s.Line)
	if err != nil {
		return err
	}
	t := &s.of.Times
	if t.Start = pcp.TimestampOf(x.Origin); s.live() {
		t.Interval, t.Samples = o.Interval, o.Samples
	}
	if o.HasFinish && !x.End.IsZero() {
		t.End = pcp.TimestampOf(x.End) // otherwise the end is where records end
	}
	return nil
}

// live reports whether a side has no past.
func (s *side) live() bool { return s.Line == nil }

// summarize summarizes the window of a side.
func (env *Env) summarize(ctx context.Context, s *side) error {
	s.of.Zone = env.Zone
	if s.sum, s.err = summary.Summarize(ctx, s.Source, env.Defs, &s.of); s.err == nil {
		s.host, _ = pmapi.HostName(ctx, s.Source) // beside an error there is a guess
	}
	return s.err
}

// source describes the source of a side in JSON.
func (s *side) source() sampling.Source {
	return sampling.Source{Kind: s.Kind, Name: pmcd.Redact(s.Name), Host: s.host}
}

// problem says which side an error is about.
func (s *side) problem(err error) error {
	list := diagnose.Joined(err)
	for i, err := range list {
		own := diagnose.Problem{Msg: err.Error(), Err: err}
		if p, ok := errors.AsType[*diagnose.Problem](err); ok {
			own = *p
		}
		own.Msg = s.from + ": " + own.Msg
		list[i] = &own
	}
	return errors.Join(list...)
}
