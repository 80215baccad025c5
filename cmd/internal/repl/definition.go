package repl

import (
	"context"
	"io"

	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/derive/query"
)

func newShow() *Verb {
	return &Verb{
		Name: "show", Usage: "NAME", Short: "Show a definition", Least: 1, Most: 1, Complete: ofDefinitions,
		New: plain(func(_ context.Context, s *Session, args []string, w io.Writer) error {
			name := args[0]
			d := s.defs.Find(name)
			if d == nil {
				return &diagnose.Problem{Msg: name + " is not defined", Notes: diagnose.DidYouMean(name, s.defs.Names())}
			}
			_, err := io.WriteString(w, lint.Text(d, d.Expr()))
			return err
		}),
	}
}

func newDrop() *Verb {
	return &Verb{
		Name: "drop", Usage: "NAME", Short: "Forget a definition of this session", Least: 1, Most: 1, Complete: ofDefinitions,
		New: plain(func(_ context.Context, s *Session, args []string, _ io.Writer) error {
			name := args[0]
			if s.defs.FindOwn(name) == nil {
				return s.notOwn(name)
			}
			if users := s.usedBy(name); users != "" {
				return query.Problemf("%s", users)
			}
			s.define(s.defs.Without(name))
			s.dirty = len(s.defs.Own()) > 0
			return nil
		}),
	}
}
