// Package cli is what the commands have in common: the scan of the command line
// by PCP's rules, the options that several commands share, their forms in the
// environment, usage text, messages, streams and exit codes.
//
// A command is a constructor, handed to [Main], that fills an option table and
// says what to run:
//
//	func main() { os.Exit(cli.Main(newCommand)) }
//
//	func newCommand(env *cli.Env) *cli.Command {
//		f := &flags{batch: 128}
//		c := cli.New(env, "pminfo", "[options] [metricname | pmid | indom]...")
//		c.Section("General options")
//		c.Shared("archive", "debug", "host", "version", "help")
//		c.Section("Protocol and reporting options")
//		c.Func(f.setBatch, "b", "batch", "N", "fetch N metrics at a time")
//		c.Bool(&f.desc, "d", "desc", "get and print metric description")
//		c.Strings(&f.register, "r", "register", "name=expr", "register a metric")
//		c.Run = func(ctx context.Context, args []string) error {
//			return f.run(ctx, env, &c.Options, args)
//		}
//		return c
//	}
//
// The order of the calls is the order of the usage text and of the candidates of
// an ambiguous long option. Run is called with the operands after a scan without
// errors; what the shared options and the environment asked for stands in
// [Command].Options. Its error becomes the exit status: nil is 0; an [Exit] is
// that status, silently; [UsageError] prints its text and the usage; anything
// else prints "PROG: error" and is 1.
//
// Output goes to env.Out, which is buffered and flushed at the end and before
// each write to env.Stderr. [Env.Errorf] writes a "PROG: ..." line there at once.
// Messages that the reference sends through pmprintf go to env.Messages.
//
// A command with a scanner of its own returns [Plain] instead.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
)

// Exit is an error that ends a command with this status and says nothing.
type Exit int

// Error implements error.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// UsageError returns an error that ends a command with a message, the usage
// text and status 1.
func UsageError(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Main runs a command in the environment of the process and returns its exit
// status. It is called from main only.
func Main(newCommand func(*Env) *Command) int {
	return Run(context.Background(), System(), newCommand)
}

// Run runs a command in env and returns its exit status.
func Run(ctx context.Context, env *Env, newCommand func(*Env) *Command) int {
	env.Out = bufio.NewWriterSize(env.Stdout, outputBuffer)
	env.Stderr = &flushFirst{first: env.Out, w: env.Stderr}
	env.Messages = &Messages{env: env}
	c := newCommand(env)
	status := c.status(c.execute(ctx))
	env.Messages.Flush()
	env.Out.Flush()
	return status
}

// outputBuffer is the size of the buffer in front of standard output.
const outputBuffer = 64 << 10

// status reports err and returns the exit status that it stands for.
func (c *Command) status(err error) int {
	env := c.Env
	var exit Exit
	var usage *usageError
	var config *ConfigError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &usage):
		env.Messages.Printf("%s: %s\n", env.Prog, usage.text)
		env.Messages.Print(c.Usage())
	case errors.As(err, &config):
		fmt.Fprintln(env.Stderr, config)
	default:
		env.Errorf("%v", err)
	}
	return 1
}
