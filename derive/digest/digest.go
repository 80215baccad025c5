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
	"time"

	"pmtools/derive/internal/table"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
)

// A Question is asked about sources. The error says why there is no answer, or why it is not complete.
type Question interface {
	Ask(ctx context.Context, env *Env, w io.Writer) error
}

// ErrReported is the error of an answer that is not complete. Env.Note has got the reasons.
var ErrReported = errors.New("the answer is not complete")

// Outputs returns the forms of answers, the usual one first.
func Outputs() []string { return []string{"table", "csv", "json"} }

// A Side names a source: a kind, host, archive, local or "" for the default, and the specification of
// the host or the list of archives.
type Side struct{ Kind, Name string }

// An Env is what questions need of the world around them.
type Env struct {
	Sides []Side                                           // the sources that there are
	Own   func(ctx context.Context) (*query.Source, error) // returns the first of them
	// Open opens another source, which the caller closes.
	Open func(ctx context.Context, side Side) (*query.Source, error)
	Defs *query.Dictionary
	// Expand puts expressions in the place of names of reports; nil for nothing.
	Expand func(ctx context.Context, src *query.Source, exprs []string) (Expansion, error)

	Zone *time.Location
	Now  time.Time
	Note func(err error)   // gets what is wrong or doubtful beside the answer
	Say  func(line string) // gets how an answer comes about; nil drops it
	Form
	Table func(ctx context.Context, w io.Writer, t *table.Table) error
}

// An Expansion is expressions, and what reports among them want.
type Expansion interface {
	Expressions() []string
	// Wanted returns which values of an expression count; nil for all of them.
	Wanted(name string) func(instance string, value float64) bool
	// Rank returns how many instances are wanted, the largest first; 0 for all.
	Rank() (int, error)
}

// expand sets the expressions of a side. It returns how many of their instances are wanted; 0 for all, less
// than 0 if there are no expressions.
func (env *Env) expand(ctx context.Context, s *side, exprs []string) (top int, err error) {
	if s.window.Exprs = exprs; env.Expand == nil {
		return 0, nil
	}
	x, err := env.Expand(ctx, s.Source, exprs)
	if err != nil {
		return -1, err
	}
	s.window.Exprs, s.window.Select.Wanted = x.Expressions(), x.Wanted
	return x.Rank()
}

// A Form says how an answer is written.
type Form struct {
	Output string // one of Outputs; others are the first one
	Numbers
}

// A side is an open source and a window of it.
type side struct {
	Side
	*query.Source
	from   string // of the source, for messages
	window query.Query
}

// side returns a side without a window. The first one is the Env's own.
func (env *Env) side(ctx context.Context, at Side, first bool) (s *side, err error) {
	s = &side{Side: at, from: at.text()}
	if first {
		s.Source, err = env.Own(ctx)
	} else {
		s.Source, err = env.Open(ctx, at)
	}
	return s, err
}

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

// over sets the window of a side to that of options.
func (env *Env) over(ctx context.Context, s *side, o *option.Options, with bool) error {
	w := &query.Window{Options: o, Now: env.Now, Zone: env.Zone, With: with, Note: func(p *query.Problem) { env.Note(p) }}
	x, err := w.Over(ctx, s.Line)
	if err != nil {
		return err
	}
	t := &s.window.Times
	if t.Start = pcp.TimestampOf(x.Origin); s.live() {
		t.Interval, t.Samples = o.Interval, o.Samples
	}
	if o.HasFinish && !x.End.IsZero() {
		t.End = pcp.TimestampOf(x.End) // otherwise the end is where records end
	}
	return nil
}

// summarize summarizes expressions in the window of a side. The head has an error if something is
// missing.
func (env *Env) summarize(ctx context.Context, s *side, opt summary.Options) (*query.Digest, *summary.Head, error) {
	opt.Zone, s.window.Zone = env.Zone, env.Zone
	d, err := query.Summarize(ctx, s.Source, env.Defs, &s.window, opt)
	if d == nil || err != nil && len(d.Metrics) == 0 {
		return nil, nil, err
	}
	h := &summary.Head{Source: summary.Source{Kind: s.Kind, Name: pmcd.Redact(s.Name)}, Zone: env.Zone, Err: err}
	h.Source.Host, _ = pmapi.HostName(ctx, s.Source) // beside an error there is a guess
	return d, h, nil
}
