package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive/query"
)

// several is the annotation of a command that takes several sources, and decides what options of a window mean for them.
const several = "several"

// verbs returns all verbs.
func (a *app) verbs() []*repl.Verb { return append(repl.Verbs(), a.ownVerbs()...) }

// ownVerbs returns the verbs that need no session.
func (a *app) ownVerbs() []*repl.Verb {
	return slices.Concat(
		repl.Definitions.In(a.newTest(), a.newLSP()),
		repl.Databases.In(a.newExport(), newCompact(a.complain), newExpire(a.complain), a.newSQL(), a.newPush()),
		repl.Others.In(a.newAgent(), newCompletion()),
	)
}

// nothingFound is the exit status of [repl.ErrNothing].
const nothingFound cli.Exit = 3

// newVerb returns the command that a verb is in the shell.
func (a *app) newVerb(v *repl.Verb) *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimRight(v.Name+" "+v.Usage, " "), Short: v.Short, Long: v.Long, DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case a.isReport(v, cmd, args):
			case len(args) < v.Least:
				return fmt.Errorf("an argument is missing: %s", cmd.UseLine())
			case len(args) > v.Most:
				return fmt.Errorf("%q is an argument too many: %s", args[v.Most], cmd.UseLine())
			}
			return nil
		},
	}
	if !v.Files { // the shell knows them better
		words := a.words(func(s *repl.Session, word string) ([]string, int) { return s.CompleteOperands(v, word) })
		cmd.ValidArgsFunction = command.Names(words)
	}
	if v.Several {
		cmd.Annotations = map[string]string{several: ""}
	}
	cmd.RunE = a.runs(cmd, v)
	return cmd
}

// addBare gives the program the options of eval: its arguments are expressions where there is one, and else items of the prompt.
func (a *app) addBare(root *cobra.Command) {
	verbs := repl.Verbs()
	eval := a.runs(root, verbs[slices.IndexFunc(verbs, func(v *repl.Verb) bool { return v.Name == "eval" })])
	options := root.LocalNonPersistentFlags()
	options.VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // help eval has them
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if given(options) {
			return eval(cmd, args)
		}
		return a.interact(cmd, args)
	}
}

// flags returns options of the command line.
func (a *app) flags(fs *pflag.FlagSet) *repl.Flags {
	return repl.NewFlags(fs, repl.Shell, repl.Settings{}, &a.Parser, a.Env.Errorf)
}

// runs adds the options of a verb to a command and returns what runs it.
func (a *app) runs(cmd *cobra.Command, v *repl.Verb) func(cmd *cobra.Command, args []string) error {
	f := a.flags(cmd.Flags())
	run := v.New(f)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return f.Explain(err) })
	return func(cmd *cobra.Command, args []string) (err error) {
		a.running, a.bare = true, v.Bare
		defer func() {
			if _, wrong := errors.AsType[repl.Misuse](err); wrong {
				a.running = false
			}
		}()
		if v.Doors == repl.Shell {
			return run(cmd.Context(), nil, args, a.Env.Out)
		}
		f.Settings.Color = a.Env.ColorWanted(a.Env.Stdout)
		if report.Named(args) {
			a.reports.Begin()
		}
		var hosts []string
		if f.Fleet != nil {
			if hosts, err = a.several(f.Fleet, f.Settings.Across); err != nil {
				return repl.Misuse{Err: err}
			}
		}
		s, err := a.session(cmd.Context(), repl.Settings{}, func(o *repl.Options) {
			o.Hosts, o.Sides, o.Screen = hosts, a.sides(cmd.Flags()), cli.IsTerminal(a.Env.Stdout)
			o.Help = func(name string) error {
				about, _, _ := cmd.Root().Find([]string{name}) // or the program
				return about.Help()
			}
		})
		if err != nil {
			return err
		}
		defer s.Close()
		ctx, stop := cmd.Context(), func() {}
		if v.Partial {
			ctx, stop = a.Env.Interruptible(ctx, os.Interrupt)
		}
		defer stop()
		if a.isReport(v, cmd, args) {
			return s.Run(ctx, ":"+v.Name, a.Env.Out)
		}
		err = s.Do(ctx, v, f, run, v.Split(slices.Clone(args)), a.Env.Out)
		if errors.Is(err, repl.ErrNothing) {
			return nothingFound
		}
		if _, found := errors.AsType[repl.Finding](err); found || errors.Is(err, query.ErrHosts) || errors.Is(err, query.ErrRecordings) {
			return cli.Exit(1)
		}
		return err
	}
}

// given reports whether one of the options was given. The number that a set of flags knows is not of what cobra copies.
func given(options *pflag.FlagSet) (some bool) {
	options.VisitAll(func(f *pflag.Flag) { some = some || f.Changed })
	return some
}

// isReport reports whether a command without options, and without the operands that it needs, is a report: "pmderive top".
func (a *app) isReport(v *repl.Verb, cmd *cobra.Command, args []string) bool {
	if v.Least == 0 || len(args) > 0 || given(cmd.LocalNonPersistentFlags()) {
		return false
	}
	lib, err := a.reports.Open(cmd.Context())
	return err == nil && slices.Contains(lib.Names(), v.Name)
}
