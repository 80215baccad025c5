package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/derive/diagnose"
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
			_, err := io.WriteString(w, query.Text(d, d.Expr()))
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
			var users []string
			for _, d := range s.defs.Users(name) {
				users = append(users, d.Name())
			}
			if users != nil {
				return query.Problemf("%s is used by %s", name, strings.Join(users, ", "))
			}
			s.define(s.defs.Without(name))
			s.dirty = len(s.defs.Own()) > 0
			return nil
		}),
	}
}
