package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/chzyer/readline"
	"golang.org/x/term"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/repl"
	"pmtools/lib/display"
)

// more is the prompt for the further lines of an item.
const more = "... "

// prompt reads items from a terminal. Ctrl-C drops the item that is being typed or interrupts the
// one that runs; Ctrl-D ends the prompt.
func (a *app) prompt(ctx context.Context, s *repl.Session) error {
	terminal := int(os.Stdin.Fd())
	state, err := term.GetState(terminal)
	if err != nil {
		return err
	}
	restore := func() { _ = term.Restore(terminal, state) } // readline's own way is for one goroutine
	rl, err := a.newReadline(s)
	if err != nil {
		return err
	}
	// The editor is not closed: that would wait for one more key where Ctrl-D was typed ahead.
	defer cli.RestoreOn(restore, cli.Fatal...)()
	h := openHistory(a.Env.LookupEnv)
	for _, item := range h.items {
		_ = rl.SaveHistory(item) // only a file could fail
	}
	width, _ := cli.TerminalSize(a.Env.Stdout)
	const welcome = "An expression is evaluated, NAME = EXPR defines a metric; :help tells more, Ctrl-D leaves."
	fmt.Fprintln(a.Env.Out, strings.Join(display.Wrap(welcome, width), "\n"))
	a.item(ctx, s, ":source")
	a.startup(ctx, s)
	asked := false
	leave := func() bool {
		n := s.Unsaved()
		if n == 0 || asked {
			return true
		}
		asked = true
		fmt.Fprintf(a.Env.Out, "There are definitions that no file has (%d in all). :save FILE writes them; :quit or Ctrl-D once more leaves.\n", n)
		_ = a.Env.Out.Flush() // what cannot be written is noticed at the end
		return false
	}
	for {
		stop := cli.RestoreOn(restore, os.Interrupt) // by kill: a key is none in raw mode
		text, err := readItem(rl, s.Prompt())
		stop()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			if leave() {
				return nil
			}
			continue
		case err != nil:
			return err
		}
		if h.add(text) {
			_ = rl.SaveHistory(h.items[len(h.items)-1])
		}
		if !a.item(ctx, s, text) {
			asked = false
		} else if leave() {
			return nil
		}
	}
}

// newReadline returns the line editor. It handles Ctrl-Z itself: readline stops the parent as well,
// which may be a shell script, and not the other processes of the group.
func (a *app) newReadline(s *repl.Session) (rl *readline.Instance, err error) {
	rl, err = readline.NewEx(&readline.Config{
		Stdout: a.Env.Stdout, Stderr: a.Env.Stdout,
		AutoComplete:           completer{s},
		HistoryLimit:           historyLimit,
		HistorySearchFold:      true,
		DisableAutoSaveHistory: true,
		FuncFilterInputRune: func(r rune) (rune, bool) {
			if r != readline.CharCtrlZ {
				return r, true
			}
			rl.Clean()
			_ = rl.Terminal.ExitRawMode() // an error would be one of the terminal, which readline meets next
			suspend()
			_ = rl.Terminal.EnterRawMode()
			rl.Refresh()
			return readline.CharBell, true // leaves a search, which the key would too; false would read on after Ctrl-D
		},
	})
	return rl, err
}

// A lineReader asks for lines.
type lineReader interface {
	SetPrompt(string)
	Readline() (string, error)
}

// readItem reads an item of one line, or several. The end of input drops a further line; two of them
// are the end.
func readItem(rl lineReader, prompt string) (string, error) {
	rl.SetPrompt(prompt)
	text, err := rl.Readline()
	for ends := 0; err == nil && repl.Incomplete(text); {
		rl.SetPrompt(more)
		line, err := rl.Readline()
		switch {
		case err == nil:
			text, ends = repl.Join(text, line), 0
		case errors.Is(err, io.EOF) && ends == 0:
			ends++
		default:
			return text, err
		}
	}
	return text, err
}

// item runs an item, which Ctrl-C interrupts, and reports whether it ends the prompt.
func (a *app) item(ctx context.Context, s *repl.Session, text string) (quit bool) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	out := a.newPager(s, text)
	err := errors.Join(s.Run(ctx, text, out), out.Close())
	switch {
	case errors.Is(err, repl.ErrQuit):
		quit = true
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(a.Env.Out, "interrupted")
	case err != nil:
		fmt.Fprint(a.Env.Out, a.paint(s, red, "error: "), problemText(err, a.Env.Stdout))
	}
	_ = a.Env.Out.Flush() // what cannot be written is noticed at the end
	return quit
}

// red begins red text on a terminal.
const red = "\x1b[31m"

// paint returns text in a colour, if colours are wanted.
func (a *app) paint(s *repl.Session, color, text string) string {
	if !s.Color() {
		return text
	}
	return color + text + "\x1b[0m"
}

// A completer proposes completions to readline.
type completer struct{ s *repl.Session }

// Do implements readline.AutoCompleter: it returns the texts that may follow, and how many
// characters before the cursor are part of them.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	before := string(line[:pos])
	texts, start := c.s.Complete(before, len(before))
	typed := before[start:]
	var out [][]rune
	for _, t := range texts {
		if rest, ok := strings.CutPrefix(t, typed); ok {
			out = append(out, []rune(rest))
		}
	}
	return out, len([]rune(typed))
}
