package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/repl"
)

// newVerb returns the command that a verb is in the shell.
func (a *app) newVerb(v *repl.Verb) *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimRight(v.Name+" "+v.Usage, " "), Short: v.Short, Long: v.Long,
		Args:              operands(v.Least, v.Most),
		ValidArgsFunction: a.completeAfter(":" + v.Name + " "),
	}
	f := repl.NewFlags(cmd.Flags(), repl.Shell, repl.Settings{})
	f.Time, f.Share = &a.Options, func(fs *pflag.FlagSet, names ...string) { a.addShared(fs, names...) }
	run := v.New(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.running = true
		s, err := a.session(cmd.Context(), repl.Settings{})
		if err != nil {
			return err
		}
		defer s.Close()
		err = s.Do(cmd.Context(), v, f, run, v.Split(slices.Clone(args)), a.Env.Out)
		if _, wrong := errors.AsType[repl.Misuse](err); wrong {
			a.running = false
		}
		return err
	}
	return cmd
}
