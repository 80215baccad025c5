package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/repl"
)

// interact reads items: at a prompt on a terminal, otherwise one from each line.
func (a *app) interact(ctx context.Context) error {
	a.running = true
	env := a.Env
	terminal := cli.IsTerminal(env.Stdin) && cli.IsTerminal(env.Stdout)
	s, err := a.session(ctx, repl.Settings{Color: terminal && env.ColorWanted(env.Stdout)})
	if err != nil {
		return err
	}
	defer s.Close()
	if terminal {
		return a.prompt(ctx, s)
	}
	return a.script(ctx, s)
}

// maxLine is the limit on the length of a line of a script.
const maxLine = 1 << 21

// script runs the items in the lines of standard input.
func (a *app) script(ctx context.Context, s *repl.Session) error {
	lines := bufio.NewScanner(a.Env.Stdin)
	lines.Buffer(nil, maxLine)
	failed := false
	for n := 1; lines.Scan(); n++ {
		first, text := n, lines.Text()
		for strings.HasSuffix(text, `\`) && lines.Scan() {
			text = repl.Join(text, lines.Text())
			n++
		}
		err := s.Run(ctx, text, a.Env.Out)
		switch {
		case errors.Is(err, repl.ErrQuit):
			return exitIf(failed)
		case cli.IsLost(err):
			return err
		case err != nil:
			fmt.Fprintf(a.Env.Stderr, "%s: line %d: %s", a.Env.Prog, first, problemText(err, a.Env.Stderr))
			failed = true
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return exitIf(failed)
}

// problemText returns an error with all its details, ending with a newline, within the width of the
// terminal that a stream is.
func problemText(err error, stream any) string {
	if p, ok := errors.AsType[*repl.Problem](err); ok {
		width, _ := cli.TerminalSize(stream)
		return p.TextWithin(width)
	}
	return err.Error() + "\n"
}
