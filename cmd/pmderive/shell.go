package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/source"
	"pmtools/derive/check"
	"pmtools/derive/query"
	"pmtools/internal/suggest"
)

// interact runs items: those of the command line, or else from a prompt on a terminal, or one from
// each line of standard input.
func (a *app) interact(cmd *cobra.Command, args []string) (err error) {
	ctx, env := cmd.Context(), a.Env
	if len(args) > 0 && !strings.HasPrefix(args[0], ":") && a.nearCommand(cmd, args[0]) != "" {
		return a.unknownCommand(cmd, args[0])
	}
	var hosts []string
	if len(a.hosts) > 1 {
		hosts = a.hosts
		if err := query.CheckHosts(hosts); err != nil {
			return err
		}
	}
	a.running = true
	terminal := cli.IsTerminal(env.Stdin) && cli.IsTerminal(env.Stdout)
	set := repl.Settings{Layout: repl.Layout{Color: terminal && env.ColorWanted(env.Stdout)}}
	if terminal && len(args) == 0 {
		set.Language = check.Extended // scripts stay as they are
	}
	s, err := a.session(ctx, set, func(o *repl.Options) {
		o.Hosts, o.Screen = hosts, terminal && len(args) == 0
	})
	if err != nil {
		return err
	}
	defer func() { // a file or an archive may be incomplete
		if bad := s.Close(); bad != nil && err == nil {
			a.complain(bad)
			err = cli.Exit(1)
		}
	}()
	switch {
	case len(args) > 0:
		return a.items(ctx, s, args)
	case terminal:
		return a.prompt(ctx, s)
	}
	return a.script(ctx, s)
}

// unknownCommand returns the error for a word that is no command.
func (a *app) unknownCommand(cmd *cobra.Command, word string) error {
	if names := a.nearCommand(cmd, word); names != "" {
		return fmt.Errorf("unknown command \"%s\"; did you mean %s?", word, names)
	}
	return fmt.Errorf("unknown command \"%s\"", word)
}

// nearCommand returns what a word may be meant for: an archive, a report or commands; or "".
func (a *app) nearCommand(cmd *cobra.Command, word string) string {
	switch lib, err := a.reports.Open(cmd.Context()); {
	case a.sources.Set().Find(word) != nil:
		return ""
	case source.IsArchive(word):
		return "-a " + word
	case err == nil && slices.Contains(lib.Names(), word):
		return ":" + word
	case repl.Meant[word] != "":
		return repl.Meant[word]
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return strings.Join(suggest.Names(word, names), " or ")
}

// runItems runs items, each with what tells its error.
func (a *app) runItems(ctx context.Context, s *repl.Session, items iter.Seq2[string, func(error)]) error {
	failed := false
	for text, tell := range items {
		switch err := s.Run(ctx, text, a.Env.Out); {
		case err == nil:
		case errors.Is(err, repl.ErrQuit):
			return exitIf(failed)
		case cli.IsLost(err):
			return err
		case errors.Is(err, repl.ErrFound): // the answer has told what
			failed = true
		default:
			tell(err)
			failed = true
		}
	}
	return exitIf(failed)
}

func (a *app) items(ctx context.Context, s *repl.Session, args []string) error {
	ctx, stop := a.Env.Interruptible(ctx, os.Interrupt)
	defer stop()
	last := "" // items that fail for the same reason tell it once
	tell := func(err error) {
		if text := problemText(err, nil, ""); text != last {
			a.complain(err)
			last = text
		}
	}
	return a.runItems(ctx, s, func(yield func(string, func(error)) bool) {
		for len(args) > 0 {
			text := args[0]
			args = args[1:]
			// numbers behind the name of a report are its interval and how many samples there are, as vmstat(8) has them
			for name := strings.HasPrefix(text, ":") && !strings.Contains(text, " "); name && len(args) > 0 && isNumber(args[0]); args = args[1:] {
				text += " " + args[0]
			}
			if !yield(text, tell) {
				return
			}
		}
	})
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// maxLine is the limit on the length of a line that is read as it is.
const maxLine = 1 << 21

// newLines returns what reads lines.
func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return lines
}

func (a *app) script(ctx context.Context, s *repl.Session) error {
	lines := newLines(a.Env.Stdin)
	err := a.runItems(ctx, s, func(yield func(string, func(error)) bool) {
		for n := 1; lines.Scan(); n++ {
			head, text := fmt.Sprintf("%s: line %d: ", a.Env.Prog, n), lines.Text()
			for strings.HasSuffix(text, `\`) && lines.Scan() {
				text = repl.Join(text, lines.Text())
				n++
			}
			tell := func(err error) { fmt.Fprint(a.Env.Stderr, head, problemText(err, a.Env.Stderr, head)) }
			if !yield(text, tell) {
				return
			}
		}
	})
	if bad := lines.Err(); bad != nil {
		return bad
	}
	return err
}

// shell runs a command of the shell, or a shell, on the terminal. The text that comes before it is written first.
func (a *app) shell(command string) error {
	if err := a.Env.Out.Flush(); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", command)
	if command == "" {
		cmd = exec.Command(cmp.Or(a.Env.Getenv("SHELL"), "sh"))
	}
	cli.Attach(cmd)
	err := cmd.Run()
	if status, ok := errors.AsType[*exec.ExitError](err); ok {
		return query.Problemf("the command ended with %s", status.ProcessState)
	}
	return err
}
