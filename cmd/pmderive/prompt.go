package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/chzyer/readline"
	"golang.org/x/term"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/history"
	"pmtools/cmd/internal/pager"

	"pmtools/cmd/internal/repl"
	"pmtools/internal/textwidth"
)

// more is the prompt for further lines of an item, after its open brackets.
const more = "... "

// prompt reads items from a terminal. Ctrl-C drops the item that is being typed or interrupts the
// one that runs; Ctrl-D ends the prompt.
func (a *app) prompt(ctx context.Context, s *repl.Session) error {
	mode, err := modeOf(int(os.Stdin.Fd()))
	if err != nil {
		return err
	}
	leaving := func() { a.pager.End(); mode.leave() }
	h := &a.history
	*h = *history.Open(a.Env.LookupEnv)
	var rl lineReader = &plainLines{in: newLines(a.Env.Stdin), out: a.Env.Stdout}
	remember := func(string) {}
	if a.Env.Getenv("TERM") != "dumb" {
		// The editor is not closed: that would wait for one more key where Ctrl-D was typed ahead.
		editor, err := a.newReadline(s, mode)
		if err != nil {
			return err
		}
		rl, remember = editor, func(item string) { _ = editor.SaveHistory(item) } // only a file could fail
	}
	defer cli.RestoreOn(leaving, cli.Fatal...)()
	for _, item := range h.Items {
		remember(item)
	}
	width, _ := cli.TerminalSize(a.Env.Stdout)
	const welcome = "An expression is evaluated, NAME = EXPR defines a metric; :help tells more, Ctrl-D leaves."
	fmt.Fprintln(a.Env.Out, strings.Join(textwidth.Wrap(welcome, width), "\n"))
	a.item(ctx, s, ":source")
	a.startup(ctx, s)
	asked := false
	leave := func() bool {
		n := s.Unsaved()
		if n == 0 || asked {
			return true
		}
		asked = true
		fmt.Fprintf(a.Env.Out, "There are definitions that are in no file (%d in all). :save FILE writes them; :quit or Ctrl-D once more leaves.\n", n)
		_ = a.Env.Out.Flush() // what cannot be written is noticed at the end
		return false
	}
	for {
		stop := cli.RestoreOn(leaving, os.Interrupt) // by kill: a key is none in raw mode
		text, err := readItem(rl, s.Prompt(), s.Incomplete)
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
		if h.Add(text) {
			remember(h.Items[len(h.Items)-1])
		}
		if !a.item(ctx, s, text) {
			asked = false
		} else if leave() {
			return nil
		}
	}
}

// A mode is that of a terminal, which several goroutines change: the line editor for each item, and
// the handler of signals.
type mode struct {
	sync.Mutex
	terminal int
	usual    *term.State
	left     bool // for good
}

func modeOf(terminal int) (*mode, error) {
	usual, err := term.GetState(terminal)
	return &mode{terminal: terminal, usual: usual}, err
}

// raw makes each key be read as it is typed.
func (m *mode) raw() error {
	m.Lock()
	defer m.Unlock()
	if m.left {
		return nil
	}
	_, err := readline.MakeRaw(m.terminal)
	return err
}

func (m *mode) restore() error {
	m.Lock()
	defer m.Unlock()
	return term.Restore(m.terminal, m.usual)
}

// leave makes the mode the usual one, and keeps it so.
func (m *mode) leave() {
	m.Lock()
	defer m.Unlock()
	m.left = true
	_ = term.Restore(m.terminal, m.usual) // the program ends, and an error could not be shown
}

// Widths that the line editor gets from a terminal that has none, or next to none: it would not end
// with those.
const (
	usualWidth = 80
	leastWidth = 8
)

// editorWidth returns the width of the terminal for the line editor.
func editorWidth() int {
	w := readline.GetScreenWidth()
	if w <= 0 {
		return usualWidth
	}
	return max(w, leastWidth)
}

// newReadline returns the line editor. It handles Ctrl-Z itself: readline stops the parent as well,
// which may be a shell script, and not the other processes of the group.
func (a *app) newReadline(s *repl.Session, m *mode) (rl *readline.Instance, err error) {
	rl, err = readline.NewEx(&readline.Config{
		Stdout: a.Env.LineEditor(), Stderr: a.Env.LineEditor(),
		AutoComplete:           completer{s},
		HistoryLimit:           history.Limit,
		HistorySearchFold:      true,
		DisableAutoSaveHistory: true,
		FuncGetWidth:           editorWidth,
		FuncMakeRaw:            m.raw,
		FuncExitRaw:            m.restore,
		Listener:               &editedLine{},
		Stdin:                  keyReader{readline.NewCancelableStdin(readline.Stdin)},
		FuncFilterInputRune: func(r rune) (rune, bool) {
			if r != readline.CharCtrlZ {
				return r, true
			}
			rl.Clean()
			_ = rl.Terminal.ExitRawMode() // an error would be one of the terminal, which readline meets next
			cli.Suspend()
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
func readItem(rl lineReader, prompt string, incomplete func(text string) string) (string, error) {
	rl.SetPrompt(prompt)
	text, err := rl.Readline()
	for ends := 0; err == nil; {
		open := incomplete(text)
		if open == "" {
			break
		}
		rl.SetPrompt(open + more)
		line, err := rl.Readline()
		switch {
		case err == nil && repl.Leaves(line):
			text = line
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
	interruptible := signal.NotifyContext
	if !cli.IsTerminal(a.Env.Stdout) { // a prompt that is waited for would end later
		interruptible = a.Env.Interruptible
	}
	ctx, stop := interruptible(ctx, os.Interrupt)
	defer stop()
	out := pager.New(a.Env, &a.pager, s.Paged())
	err := errors.Join(s.Run(ctx, text, out), out.Close())
	switch {
	case errors.Is(err, repl.ErrQuit):
		quit = true
	case errors.Is(err, repl.ErrFound): // the answer has told what
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(a.Env.Out, "interrupted")
	case err != nil:
		head := "error: "
		text := problemText(err, a.Env.Stdout, head)
		if s.Color() {
			text, head = redCarets(text), red(head)
			a.Env.Paints(true, false)
		}
		fmt.Fprint(a.Env.Out, head, text)
	}
	_ = a.Env.Out.Flush() // what cannot be written is noticed at the end
	return quit
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
		// The editor writes a proposal as it is; a newline in one would run the line before it.
		if rest, ok := strings.CutPrefix(t, typed); ok && textwidth.Clean(rest) == rest {
			out = append(out, []rune(rest))
		}
	}
	return out, len([]rune(typed))
}
