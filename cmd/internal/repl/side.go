package repl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
)

// errIncomplete is the error of an answer that is not complete, whose reasons have been told.
const errIncomplete = Finding("the answer is not complete")

// A Side names a source: its kind, and the specification of the host or the list of archives.
type Side struct{ Kind, Name string }

// side is an open source and what there is to know about a window of it.
type side struct {
	Side
	*query.Source
	from  string // of the source, for messages
	where string // which samples of the window it has; "" for all of them
	of    summary.Options
	order summary.Order // of the rows
	sum   *summary.Summary
	err   error // why there is none
	host  string
}

// sides returns the sources of the session.
func (s *Session) sides() []Side {
	list := []Side{{s.kind, s.name}}
	if s.fleet != nil {
		for _, h := range s.fleet.Hosts()[1:] {
			list = append(list, Side{Host, h})
		}
	}
	return list
}

// openSide returns a side without a window. The session's own source is not closed by the caller, others are.
func (s *Session) openSide(ctx context.Context, at Side, own bool) (*side, error) {
	x := &side{Side: at, from: pmcd.Redact(at.Name)}
	switch {
	case at.Name != "":
	case at.Kind == Default:
		x.from = "local daemon"
	default:
		x.from = at.Kind
	}
	if own {
		err := s.connect(ctx)
		x.Source = s.src
		return x, err
	}
	src, err := s.open(ctx, at.Kind, at.Name)
	if err == nil {
		x.Source = query.NewSource(src)
		x.Equivalent = s.opt.Equivalent
	}
	return x, err
}

// expandSide sets the expressions of a side, some of which may be those of reports.
func (s *Session) expandSide(ctx context.Context, x *side, exprs []string, w io.Writer) (e report.Expansion, err error) {
	e, err = s.expand(ctx, x.Source, exprs, func(p *diagnose.Problem) { s.complain(w, p) })
	x.of.Exprs, x.of.Wanted, x.of.Zone = e.Exprs, e.Wanted, s.zone
	return e, err
}

// over sets the window of a side to that of options.
func (x *side) over(ctx context.Context, w *Window) error {
	found, err := w.Over(ctx, x.Line)
	if err != nil {
		return err
	}
	t := &x.of.Times
	if t.Start = pcp.TimestampOf(found.Origin); x.live() {
		t.Interval, t.Samples = w.Interval, w.Samples
	}
	if w.HasFinish && !found.End.IsZero() {
		t.End = pcp.TimestampOf(found.End) // otherwise the end is where records end
	}
	return nil
}

// window returns the window set by the options. note is called with doubts about it.
func (s *Session) window(o *option.Options, with bool, note func(error)) *Window {
	w := &Window{Options: o, Now: s.opt.Now(), Zone: s.zone, With: with, Note: func(p *diagnose.Problem) { note(p) }}
	if s.set.Output == outputs[0] {
		w.Tell = func(line string) { s.note(s.screen, line) }
	}
	return w
}

// live reports whether a side has no past.
func (x *side) live() bool { return x.Line == nil }

// summarize summarizes the window of the side.
func (s *Session) summarize(ctx context.Context, x *side) error {
	if x.sum, x.err = summary.Summarize(ctx, x.Source, s.defs, &x.of); x.err == nil {
		x.host, _ = pmapi.HostName(ctx, x.Source) // beside an error there is a guess
	}
	return x.err
}

// part returns the summary of the side.
func (x *side) part() digest.Part {
	p := digest.Part{Summary: x.sum, Where: x.where}
	p.Source.Kind, p.Source.Name, p.Source.Host = x.Kind, pmcd.Redact(x.Name), x.host
	return p
}

// problem says which side an error is about.
func (x *side) problem(err error) error {
	list := diagnose.Joined(err)
	for i, err := range list {
		own := diagnose.Problem{Msg: err.Error(), Err: err}
		if p, ok := errors.AsType[*diagnose.Problem](err); ok {
			own = *p
		}
		own.Msg = x.from + ": " + own.Msg
		list[i] = &own
	}
	return errors.Join(list...)
}

// digest returns how summaries are shown.
func (s *Session) digest() digest.Form {
	return digest.Form{Output: s.set.Output, Numbers: s.set.Numbers.Form(), Zone: s.zone}
}

// complain shows a problem of an answer.
func (s *Session) complain(w io.Writer, err error) {
	_ = s.noteLost(err) // connecting again without need does no harm
	if s.opt.Complain != nil {
		s.opt.Complain(err)
	} else {
		fmt.Fprintln(w, err)
	}
}
