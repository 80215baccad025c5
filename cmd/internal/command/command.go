// Package command runs the commands that read their command lines by PCP's rules. A command is a
// constructor, handed to [cli.Main], that fills an option table and sets the function to run:
//
//	func newCommand(env *cli.Env) *command.Command {
//		f := &flags{batch: 128}
//		c := command.New(env, "pminfo", "[options] [metricname | pmid | indom]...")
//		c.Section("General options")
//		c.Shared("archive", "debug", "host", "version", "help")
//		c.Section("Protocol and reporting options")
//		c.Func(f.setBatch, "b", "batch", "N", "fetch N metrics at a time")
//		c.Bool(&f.desc, "d", "desc", "get and print metric description")
//		c.Run = func(ctx context.Context, args []string) error { return f.run(ctx, c, args) }
//		return c
//	}
//
// Run is called with the operands after a scan without errors.
package command

import (
	"context"
	"errors"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
)

// A Command is an option table and what to run with the options.
type Command struct {
	option.Parser
	Env *cli.Env
	// Run does the work. Its arguments are the operands.
	Run func(ctx context.Context, args []string) error
	// Names proposes operands that begin with a prefix to the shell, a component of a name at a
	// time. It is called after the options before have been read; nil proposes files.
	Names func(ctx context.Context, prefix string) []string
	// Value proposes values of an option that begin with a prefix, and reports whether it knows the
	// option; operands are those before. nil knows none.
	Value func(ctx context.Context, option string, operands []string, prefix string) (values []string, known bool)

	name  string
	shell string // --completion
}

// New returns a command with an empty option table. Operands is what follows the program's name in
// the first line of the usage text.
func New(env *cli.Env, name, operands string) *Command {
	c := &Command{Env: env, name: name, Parser: option.Parser{
		Prog: env.Prog, Operands: operands, Messages: env.Messages,
		AllHelp: cli.IsTerminal(env.Stderr), // scripts see the reference's text
		Stderr:  env.Stderr, LookupEnv: env.LookupEnv, Open: env.Open, Hostname: env.Hostname,
	}}
	c.addCompletion()
	return c
}

// Execute parses the arguments and runs the command, unless there were errors.
func (c *Command) Execute(ctx context.Context) error {
	if Proposes(c.Env) {
		return Propose(ctx, c.Env, c.cobra(c.operands), nil)
	}
	operands, err := c.Parse(c.Env.Args)
	if err == nil && c.shell == "" {
		err = c.Run(ctx, operands)
	}
	switch {
	case errors.Is(err, option.ErrVersion):
		return cli.Exit(0)
	case errors.Is(err, option.ErrUsage):
		return cli.Exit(1)
	case err == nil && c.shell != "":
		return c.writeScript()
	}
	return err
}
