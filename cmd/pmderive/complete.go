package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/repl"
)

// words returns what proposes words with what a session proposes for the end of one.
func (a *app) words(propose func(s *repl.Session, word string) (texts []string, start int)) func(context.Context, string) []string {
	return func(ctx context.Context, prefix string) []string {
		s, err := a.session(ctx, repl.Settings{})
		if err != nil {
			return nil
		}
		defer s.Close()
		texts, start := propose(s, prefix)
		for i, t := range texts {
			texts[i] = prefix[:start] + strings.TrimRight(t, " ")
		}
		return texts
	}
}

func (a *app) completeExpr(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
	words := a.words(func(s *repl.Session, word string) ([]string, int) { return s.Complete(word, len(word)) })
	return command.Names(words)(cmd, before, prefix)
}

// completeItem proposes items of the prompt, unless the first word is that of a subcommand, which cobra
// proposes.
func (a *app) completeItem(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
	begun := func(c *cobra.Command) bool { return strings.HasPrefix(c.Name(), prefix) }
	if len(before) == 0 && slices.ContainsFunc(cmd.Commands(), begun) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeExpr(cmd, before, prefix)
}

// completeValues registers what proposes values of options for a command and those below it.
func (a *app) completeValues(cmd *cobra.Command) {
	visit := func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // texts have no quotes around the words for arguments
		values := repl.ValuesOf(f)
		var propose cobra.CompletionFunc
		switch {
		case values != nil:
			propose = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		case f.Name == "archive" || f.Name == "host":
			propose = command.Values(func(ctx context.Context, prefix string) ([]string, bool) {
				return a.sources.CompleteValue(ctx, f.Name, nil, prefix)
			})
		case repl.Completes(f):
			propose = a.completeOption(f.Name)
		default:
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, propose) // the flag exists
	}
	cmd.LocalFlags().VisitAll(visit)
	for _, sub := range cmd.Commands() {
		a.completeValues(sub)
	}
}

// completeOption proposes values of an option, for the expressions before it.
func (a *app) completeOption(name string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
		words := a.words(func(s *repl.Session, word string) ([]string, int) { return s.CompleteOption(name, before, word) })
		if name == "where" {
			return command.Names(words)(cmd, before, prefix)
		}
		return command.Values(func(ctx context.Context, prefix string) ([]string, bool) { return words(ctx, prefix), true })(cmd, before, prefix)
	}
}

func newCompletion() *repl.Verb {
	return &repl.Verb{
		Name: "completion", Usage: "bash|fish|powershell|zsh", Short: "Write a completion script for a shell",
		Doors: repl.Shell, Least: 1, Most: 1, Complete: repl.OfChoices(command.Shells()...),
		New: func(*repl.Flags) repl.Run {
			return func(_ context.Context, _ *repl.Session, args []string, w io.Writer) error {
				if err := command.CheckShell(args[0]); err != nil {
					return repl.Misuse{Err: err}
				}
				return command.WriteScript(w, "pmderive", args[0])
			}
		},
	}
}
