package repl

import (
	"context"
	"fmt"
	"io"

	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// Ask asks a question about windows of the source, or of several.
func (s *Session) Ask(ctx context.Context, q digest.Question, f digest.Form, w io.Writer) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.noteLost(s.ask(ctx, q, f, w))
}

// ask is Ask for a caller that has acquired the Session.
func (s *Session) ask(ctx context.Context, q digest.Question, f digest.Form, w io.Writer) error {
	env := &digest.Env{
		Sides: []digest.Side{{Kind: s.kind, Name: s.name}}, Defs: s.defs, Zone: s.zone, Now: s.opt.Now(), Form: f, Table: s.table,
		Own: func(ctx context.Context) (*query.Source, error) {
			err := s.connect(ctx)
			return s.src, err
		},
		Note: func(err error) {
			_ = s.noteLost(err) // connecting again without need does no harm
			s.complain(w, err)
		},
		Say: func(line string) { s.note(w, line) },
		Expand: func(ctx context.Context, src *query.Source, exprs []string) (report.Expansion, error) {
			return s.expand(ctx, src, exprs, func(p *diagnose.Problem) { s.complain(w, p) })
		},
	}
	env.Open = func(ctx context.Context, at digest.Side) (*query.Source, error) {
		src, err := s.open(ctx, at.Kind, at.Name)
		if err != nil {
			return nil, err
		}
		other := query.NewSource(src)
		other.Equivalent = s.opt.Equivalent
		return other, nil
	}
	if s.fleet != nil {
		for _, h := range s.fleet.Hosts()[1:] {
			env.Sides = append(env.Sides, digest.Side{Kind: Host, Name: h})
		}
	}
	return q.Ask(ctx, env, w)
}

// complain shows what is wrong beside an answer.
func (s *Session) complain(w io.Writer, err error) {
	if s.opt.Complain != nil {
		s.opt.Complain(err)
	} else {
		fmt.Fprintln(w, err)
	}
}

// asking returns the command of a name whose argument is that of a question.
func asking(name string) func(context.Context, *Session, string, io.Writer) error {
	return func(ctx context.Context, s *Session, arg string, w io.Writer) error {
		f := digest.Form{Output: s.set.Output, Numbers: s.set.Numbers.Form()}
		q, err := digest.Parse(name, arg, &f)
		if err != nil {
			return diagnose.From(err)
		}
		return s.ask(ctx, q, f, w)
	}
}
