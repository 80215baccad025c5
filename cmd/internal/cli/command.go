package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Command is an option table and what to run with the options.
type Command struct {
	Env     *Env
	Options Options
	// Run does the work. It is given the operands.
	Run func(ctx context.Context, args []string) error
	// Namespace loads a local name space (-n, -N, also from the environment). It
	// is called during the scan; its error is reported as the reference does.
	Namespace func(file string, unique bool) error
	// FirstOperandEnds makes the first operand end the options, as in pmstore.
	FirstOperandEnds bool
	// LateChecks leaves the checks of the source to Run, which calls CheckSource.
	// The local daemon counts as a source then, as in pmval.
	LateChecks bool
	// Interpolates says that archives are read between their records.
	Interpolates bool

	name     string
	operands string
	cobra    *cobra.Command    // nil in a command with its own scanner
	sections map[string]string // titles, by the long name of the option below
	section  string            // title that waits for its first option

	help, version   bool                  // -?, -V
	script          func(io.Writer) error // --completion
	errors, runtime bool                  // there were errors, and some that are not of usage
}

// New returns a command with an empty option table. Operands is what follows the
// program's name in the first line of the usage text.
func New(env *Env, name, operands string) *Command {
	c := &Command{Env: env, name: name, operands: operands, sections: make(map[string]string)}
	c.cobra = &cobra.Command{
		Use:                name + " " + operands,
		DisableFlagParsing: true, // pflag's rules and messages are not PCP's
		SilenceUsage:       true,
		SilenceErrors:      true,
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:               func(cmd *cobra.Command, args []string) error { return c.start(cmd.Context(), args) },
	}
	c.cobra.Flags().SortFlags = false
	c.addCompletion()
	return c
}

// Plain returns a command with a scanner of its own; run is given the arguments
// as they are.
func Plain(env *Env, run func(ctx context.Context, args []string) error) *Command {
	return &Command{Env: env, Run: run}
}

// execute runs the command.
func (c *Command) execute(ctx context.Context) error {
	if c.cobra == nil {
		return c.Run(ctx, c.Env.Args)
	}
	c.cobra.SetArgs(c.Env.Args)
	c.cobra.SetIn(c.Env.Stdin)
	c.cobra.SetOut(c.Env.Out)
	c.cobra.SetErr(c.Env.Stderr)
	return c.cobra.ExecuteContext(ctx)
}

// start reads the environment and the arguments and runs the command, unless
// there were errors.
func (c *Command) start(ctx context.Context, args []string) error {
	c.readEnvironment()
	_, posix := c.Env.LookupEnv("POSIXLY_CORRECT")
	s := scanner{
		table:  c.cobra.Flags(),
		args:   args,
		posix:  posix || c.FirstOperandEnds,
		report: c.report,
	}
	operands := s.scan()
	if !c.LateChecks {
		c.checkSource()
	}
	if err := c.finish(); err != nil {
		return err
	}
	return c.Run(ctx, operands)
}

// A runtimeError is an error of the scan after which no usage text is printed.
type runtimeError struct{ text string }

func (e *runtimeError) Error() string { return e.text }

// report adds an error to the messages. No error ends the scan.
func (c *Command) report(err error) {
	c.errors = true
	if _, ok := errors.AsType[*runtimeError](err); ok {
		c.runtime = true
	}
	c.Env.Messages.Printf("%s: %v\n", c.Env.Prog, err)
}

// finish ends a command that has not come through the scan without errors, or
// was asked only for its version or usage.
func (c *Command) finish() error {
	switch {
	case c.version:
		return Exit(0)
	case !c.errors && !c.help && c.script != nil:
		return c.writeScript()
	case !c.errors && !c.help:
		return nil
	case !c.runtime:
		c.Env.Messages.Print(c.Usage())
	}
	return Exit(1)
}

// Section begins a section of the usage text.
func (c *Command) Section(title string) { c.section = title }

// Bool adds an option without an argument that sets p. Short may be "".
func (c *Command) Bool(p *bool, short, long, text string) {
	c.Switch(func() error { *p = true; return nil }, short, long, text)
}

// Count adds an option without an argument that counts how often it is given.
func (c *Command) Count(p *int, short, long, text string) {
	c.Switch(func() error { *p++; return nil }, short, long, text)
}

// Switch adds an option without an argument that calls f each time it is given.
// The error of f becomes a usage error.
func (c *Command) Switch(f func() error, short, long, text string) {
	set := func(string) error { return f() }
	c.add(&pflag.Flag{Name: long, Shorthand: short, Usage: text, NoOptDefVal: "true", Value: &value{set: set}})
}

// String adds an option whose argument, called word in the usage text, is put
// into p; the last one counts.
func (c *Command) String(p *string, short, long, word, text string) {
	c.Func(func(arg string) error { *p = arg; return nil }, short, long, word, text)
}

// Strings adds an option whose arguments are appended to p.
func (c *Command) Strings(p *[]string, short, long, word, text string) {
	c.Func(func(arg string) error { *p = append(*p, arg); return nil }, short, long, word, text)
}

// Func adds an option that calls f with its argument each time it is given. The
// error of f becomes a usage error.
func (c *Command) Func(f func(arg string) error, short, long, word, text string) {
	c.add(&pflag.Flag{Name: long, Shorthand: short, Usage: text, Value: &value{word: word, set: f}})
}

// Hide takes an option out of the usage text and of the abbreviations of long
// options: it must be written in full. Options that the reference does not have
// are hidden, so that no abbreviation of another option becomes ambiguous.
func (c *Command) Hide(long string) { c.cobra.Flags().Lookup(long).Hidden = true }

// add puts an option at the end of the table.
func (c *Command) add(f *pflag.Flag) {
	c.cobra.Flags().AddFlag(f)
	if c.section != "" {
		c.sections[f.Name] = c.section
		c.section = ""
	}
}

// value is the value of every option: it passes arguments on to a function. What
// String and Type return is for cobra, which looks for a boolean option "help" of
// its own and must find it unset.
type value struct {
	word string
	set  func(string) error
}

// Set implements pflag.Value.
func (v *value) Set(arg string) error { return v.set(arg) }

// String implements pflag.Value.
func (v *value) String() string {
	if v.word == "" {
		return "false"
	}
	return ""
}

// Type returns the word that stands for the argument.
func (v *value) Type() string {
	if v.word == "" {
		return "bool"
	}
	return v.word
}
