package main

import (
	"fmt"

	"pmtools/lib/pmerr"
)

// What the reference says when it cannot reach the time control server of -p, and
// when it cannot start one for -g. The codes are really numbers of steps
// (values.md V25.1).
const (
	errRefused pmerr.Code = -4
	errNoStart pmerr.Code = -2
)

// timeControl reports whether a time control server is to drive the session (-g,
// -p).
func (s *session) timeControl() bool { return s.options.GUI || s.options.GUIPort > 0 }

// controlled would let a time control server drive the session. There is no such
// server for this program to start or to talk to, so it ends as the reference does
// where there is none.
func (s *session) controlled() error {
	s.env.Out.WriteString(s.space())
	if s.options.GUI {
		fmt.Fprintln(s.env.Stderr, "execvp: No such file or directory")
		return fmt.Errorf("pmTimeConnect: %w", errNoStart)
	}
	return fmt.Errorf("pmTimeConnect: %w", errRefused)
}
