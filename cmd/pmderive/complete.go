package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/command"
	"pmtools/derive/repl"
)

func completeFunction(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, f := range repl.Functions() {
		if strings.HasPrefix(f.Name, prefix) {
			names = append(names, f.Name+"\t"+f.Summary)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeExpr(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
	return command.Names(func(ctx context.Context, prefix string) []string {
		s, err := a.session(ctx, repl.Settings{})
		if err != nil {
			return nil
		}
		defer s.Close()
		texts, start := s.Complete(prefix, len(prefix))
		for i, t := range texts {
			texts[i] = prefix[:start] + t
		}
		return texts
	})(cmd, before, prefix)
}

func (a *app) newCompletion() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use: "completion bash|fish|powershell|zsh", Short: "Write a completion script for a shell",
		Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.WriteScript(a.Env.Out, cmd.Root().Name(), args[0])
		},
	}
}

// describe prepares the options of a command and those below for the shell: values are proposed
// where there are but a few, and texts have no quotes around the words for arguments.
func describe(cmd *cobra.Command, values map[string][]string) {
	visit := func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f)
		if list := values[f.Name]; list != nil && (cmd.Name() == "eval" || cmd.Name() == "sql") {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
		}
	}
	cmd.LocalFlags().VisitAll(visit)
	for _, sub := range cmd.Commands() {
		describe(sub, values)
	}
}
