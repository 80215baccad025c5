package repl

import (
	"context"
	"errors"
	"io"

	"pmtools/derive/diagnose"
)

// ErrQuit is what Run returns for the command that ends a session.
var ErrQuit = errors.New("quit")

func newQuit() *Verb {
	return &Verb{
		Name: "quit", Aliases: []Alias{{Name: "exit"}}, Short: "Leave",
		New: plain(func(context.Context, *Session, []string, io.Writer) error { return ErrQuit }),
	}
}

func newDebug() *Verb {
	return &Verb{
		Name: "debug", Usage: "SPEC", Short: "Set debug options, as option -D does", Least: 1, Most: 1,
		New: plain(func(_ context.Context, s *Session, args []string, _ io.Writer) error {
			if err := s.opt.Debug(args[0]); err != nil {
				return diagnose.From(err)
			}
			return nil
		}),
	}
}
