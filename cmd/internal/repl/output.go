package repl

import (
	"context"
	"fmt"
	"io"

	"pmtools/derive/diagnose"
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

// newToggle returns the verb that turns a setting on or off.
func newToggle(name, short string) *Verb {
	return &Verb{Name: name, Short: short, New: plain(func(_ context.Context, s *Session, _ []string, w io.Writer) error {
		k, value := findSetting(name), "on"
		if k.get(&s.set) == value {
			value = "off"
		}
		fmt.Fprintln(w, name+" "+value)
		return k.set(&s.set, value)
	})}
}
