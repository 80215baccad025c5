// Command pmderive is a workbench for the expressions of derived metrics: it
// evaluates and explains them, checks and formats files of them, and has a prompt.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	_ "time/tzdata" // zones, where the system has none

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/derive/repl"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
	"pmtools/lib/version"
)

func main() { os.Exit(cli.Main(newCommand)) }

// wrongUse is the exit status for command lines that mean nothing.
const wrongUse cli.Exit = 2

// An app is one run of the program.
type app struct {
	*cli.Command
	defs    *cli.Definitions
	names   *pmns.Tree // -n; nil without
	version bool       // -V
	root    *cobra.Command
	running bool // the command line has been understood
}

// newCommand returns the command pmderive.
func newCommand(env *cli.Env) *cli.Command {
	a := &app{}
	a.Command = cli.Plain(env, a.start)
	a.Interpolates = true
	a.defs = cli.NewDefinitions(a.Command)
	a.Namespace = func(file string, unique bool) (err error) {
		defer func() { a.running = err != nil }() // that is no wrong use
		if a.names != nil {
			return pmerr.DupPMNS
		}
		a.names, err = env.LoadNames(file, unique)
		return err
	}
	return a.Command
}

// start reads the environment and the arguments and runs what they ask for.
func (a *app) start(ctx context.Context, args []string) error {
	if err := a.ReadEnvironment(); err != nil {
		a.Env.Errorf("%v", err)
		return wrongUse
	}
	a.root = a.newRoot()
	a.root.SetArgs(args)
	a.root.SetIn(a.Env.Stdin)
	a.root.SetOut(a.Env.Out)
	a.root.SetErr(a.Env.Stderr)
	err := a.root.ExecuteContext(ctx)
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = bad.Unwrap() // in the words of the other commands
	}
	a.Env.Messages.Flush()
	switch exit := cli.Exit(0); {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return exit
	case a.running:
		a.complain(err)
		return cli.Exit(1)
	}
	a.Env.Errorf("%v", err)
	fmt.Fprintf(a.Env.Stderr, "Try '%s --help'.\n", a.Env.Prog)
	return wrongUse
}

// complain writes an error, with all that it tells, to standard error.
func (a *app) complain(err error) {
	if bad, ok := errors.AsType[repl.Problems](err); ok {
		for _, p := range bad {
			a.complain(p)
		}
		return
	}
	if p, ok := errors.AsType[*repl.Problem](err); ok {
		fmt.Fprintf(a.Env.Stderr, "%s: %s", a.Env.Prog, p.Text())
		return
	}
	a.Env.Errorf("%v", err)
}

// newRoot returns the tree of commands.
func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "pmderive",
		Short: "Try, explain, check and format expressions over performance metrics",
		Long: "pmderive evaluates expressions over performance metrics, the language of derived\n" +
			"metrics. Without a command it has a prompt, or reads items from its input.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.interact(cmd.Context()) },
	}
	fs := root.PersistentFlags()
	fs.SortFlags = false
	a.SharedFlags(fs, "archive", "host", "local-PMDA", "spec-local", "container", "namespace")
	fs.FuncP("derived", "c", "load derived metric definitions from `FILE`(s)", func(path string) error {
		if err := a.defs.Load(path); err != nil {
			a.Env.Errorf("derived configuration(s) error: %s", reason(err))
		}
		return nil
	})
	a.SharedFlags(fs, "debug", "hostzone", "timezone")
	fs.BoolP("help", "?", false, "show this help and exit")
	fs.BoolVarP(&a.version, "version", "V", false, "display version number and exit")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if a.version {
			fmt.Fprintf(a.Env.Out, "%s version %s, compatible with PCP %s\n", a.Env.Prog, version.Version, version.PCP)
			return cli.Exit(0)
		}
		if err := a.Env.Config().Err(); err != nil {
			a.running = true
			return err
		}
		return a.checkSource()
	}
	root.AddCommand(a.newEval(), a.newExplain(), a.newCheck(), a.newFmt(), a.newFunctions())
	return root
}

// checkSource looks for options that the source has no use for.
func (a *app) checkSource() error {
	o := &a.Options
	kind, _ := o.Source()
	if kind != cli.Archive && (o.HasStart || o.HasAlign || o.HasOrigin) {
		return errors.New("time window options are supported for archives only")
	}
	return nil
}

// newExplain returns the command that shows typed trees.
func (a *app) newExplain() *cobra.Command {
	return &cobra.Command{
		Use:               "explain EXPR|NAME ...",
		Short:             "Show every part of an expression with its type, units and conversions",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.running = true
			s, err := a.session(cmd.Context(), repl.Settings{})
			if err != nil {
				return err
			}
			defer s.Close()
			failed := false
			for i, expr := range args {
				if i > 0 {
					fmt.Fprintln(a.Env.Out)
				}
				if err := s.Explain(cmd.Context(), expr, a.Env.Out); err != nil {
					a.complain(err)
					failed = true
				}
			}
			return exitIf(failed)
		},
	}
}

// newFunctions returns the command that tells of the language.
func (a *app) newFunctions() *cobra.Command {
	return &cobra.Command{
		Use:               "functions [NAME]",
		Short:             "Describe the functions of the language",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFunction,
		RunE: func(_ *cobra.Command, args []string) error {
			a.running = true
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return repl.WriteFunctions(a.Env.Out, name)
		},
	}
}

// exitIf returns the error for a run in which something failed that has been told
// of.
func exitIf(failed bool) error {
	if failed {
		return cli.Exit(1)
	}
	return nil
}

// reason returns the text of the code that err stands for.
func reason(err error) string {
	if c := pmerr.Of(err); c != pmerr.Generic {
		return c.Error()
	}
	return err.Error()
}

// registry returns the definitions that hold from the start.
func (a *app) registry() *derive.Registry {
	a.defs.LoadDefault()
	return a.defs.Registry()
}
