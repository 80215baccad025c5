package repl

import (
	"context"
	"fmt"
	"io"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

func newOutput() *Verb {
	return &Verb{
		Name: "output", Usage: "[FILE]", Short: "Write further output to a file, or to the screen again", Most: 1, Files: true,
		New: plain(runOutput),
	}
}

func runOutput(_ context.Context, s *Session, args []string, _ io.Writer) error {
	if err := s.closeOutput(); err != nil {
		return diagnose.From(err)
	}
	if len(args) == 0 {
		return nil
	}
	if s.opt.Files == nil {
		return query.Problemf("there are no files here")
	}
	out, err := s.opt.Files.Create(args[0])
	if err != nil {
		return diagnose.From(err)
	}
	s.out = out
	return nil
}

func (s *Session) closeOutput() error {
	if s.out == nil {
		return nil
	}
	out := s.out
	s.out = nil
	return out.Close()
}

func newTiming() *Verb {
	return &Verb{
		Name: "timing", Short: "Show the time that each item takes, or stop that",
		New: toggle("timing", func(set *Settings) *bool { return &set.Timing }),
	}
}

func newVertical() *Verb {
	return &Verb{
		Name: "vertical", Short: "Show tables with a line for each cell, or stop that",
		New: toggle("vertical", func(set *Settings) *bool { return &set.Vertical }),
	}
}

// toggle is the New of a verb that changes a setting to the other value.
func toggle(word string, of func(*Settings) *bool) func(*Flags) Run {
	return plain(func(_ context.Context, s *Session, _ []string, w io.Writer) error {
		on := of(&s.set)
		*on = !*on
		fmt.Fprintln(w, word+" "+onOffText(*on))
		return nil
	})
}
