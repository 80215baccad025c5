// Command pmderive is a workbench for the expressions of derived metrics: it evaluates and explains
// them, checks and formats files of definitions, and has a prompt.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	_ "time/tzdata" // zones, where the system has none

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/source"
	"pmtools/lib/option"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
)

func main() { os.Exit(cli.Main(newCommand)) }

// Execute reads the environment and the arguments and runs what they ask for.
func (a *app) Execute(ctx context.Context) error {
	if err := a.ReadEnvironment(); err != nil {
		a.Env.Errorf("%v", err)
		return wrongUse
	}
	root := a.newRoot()
	root.SetArgs(joinValues(a.Env.Args))
	root.SetIn(a.Env.Stdin)
	root.SetOut(a.Env.Out)
	root.SetErr(a.Env.Stderr)
	if command.Proposes(a.Env) {
		a.completeValues(root)
		return command.Propose(ctx, a.Env, root, joinBegun)
	}
	cmd, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, a.unknown)
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = bad.Unwrap() // the message of the other commands
	}
	a.Env.Messages.Flush()
	_, ran := errors.AsType[*option.RuntimeError](err)
	switch exit := cli.Exit(0); {
	case err == nil:
		return nil
	case errors.As(err, &exit), cli.IsLost(err):
		return err
	case a.running || ran:
		a.complain(err)
		return cli.Exit(1)
	}
	a.Env.Errorf("%v", err)
	fmt.Fprintf(a.Env.Stderr, "Try '%s%s --help'.\n", a.Env.Prog, strings.TrimPrefix(cmd.CommandPath(), root.Name()))
	return wrongUse
}

// newRoot returns the tree of commands.
func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "pmderive [EXPR | ITEM ...]",
		Short: "Try, explain, check and format expressions over performance metrics",
		Long: "The expressions are those of derived metrics of Performance Co-Pilot. Without a command\n" +
			"pmderive runs its arguments as items of the prompt, or has a prompt, or reads items from\n" +
			"its input. With options of eval, such as -t 1 or -o csv, the arguments are its expressions.\n" +
			"pmderive help NAME tells all about a command or a topic; -h HOST names a host.",
		Args:                  cobra.ArbitraryArgs,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
		ValidArgsFunction:     a.completeItem,
	}
	fs := a.flags(root.PersistentFlags())
	fs.Shared("archive")
	host := a.SharedOption("host")
	host.Text += " (the prompt, eval, compare and push take several)"
	host.Set = a.addHost(host.Set)
	fs.AddFlag(command.Flag(host))
	fs.Shared("local-PMDA", "spec-local", "container", "namespace")
	fs.FuncP("derived", "c", "load derived metric definitions from `FILE`(s)", func(path string) error {
		if err := a.sources.Load(path); err != nil {
			a.Env.Errorf("-c %s: %s", path, pmerr.Message(err))
		}
		return nil
	})
	fs.Func("config", "read reports, such as :vmstat, from `FILE` or directory, instead of pmrep.conf and its like", func(path string) error {
		a.reports.Files = append(a.reports.Files, path)
		return nil
	})
	fs.Shared("debug", "hostzone", "timezone")
	fs.Func("unpack-limit", "let unpacked archives take `SIZE` of the disk, such as 20G", func(text string) (err error) {
		a.sources.UnpackLimit, err = source.ParseSize(text)
		return err
	})
	fs.BoolVar(&a.sources.Extended, "extended", false, "accept expressions that PCP cannot evaluate: sum(rate(x)), topn(3, x) ...")
	fs.BoolVar(&a.sources.NoStock, "no-stock", false, "ignore the definitions that PCP installs, and PCP_DERIVED_CONFIG")
	fs.BoolP("help", "?", false, "show this help and exit")
	fs.BoolVarP(&a.version, "version", "V", false, "display version number and exit")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		_, many := cmd.Annotations[several]
		if len(a.hosts) > 1 && cmd != root && cmd.Flags().Lookup("hosts") == nil && cmd.Name() != "push" && !many {
			return fmt.Errorf("too many hosts requested: %s", pmcd.Redact(a.hosts[1]))
		}
		if named := cmd.Flags(); a.Options.Local && !many && (named.Changed("archive") || named.Changed("host")) {
			return errors.New("-L asks this machine, -a and -h name other sources: give one of them")
		}
		a.sources.Registry().SetLanguage(a.language())
		if a.version {
			fmt.Fprintf(a.Env.Out, "%s version %s, compatible with PCP %s\n", a.Env.Prog, version.Version, version.PCP)
			return cli.Exit(0)
		}
		if err := a.Env.Config().Err(); err != nil {
			a.running = true
			return err
		}
		if a.catalog != "" || many {
			return nil // the tables have times
		}
		return a.Options.CheckWindow()
	}
	for _, v := range repl.At(repl.Shell, a.verbs()) {
		cmd := a.newVerb(v)
		if root.AddCommand(cmd); v.Name == "help" {
			root.SetHelpCommand(cmd)
		}
	}
	a.addBare(root)
	root.SetHelpFunc(a.showHelp)
	return root
}
