package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/lib/option"
)

// shells are those that there are completion scripts for.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// addCompletion adds the hidden option that writes a completion script for a shell. The script asks
// the command itself, which cobra answers.
func (c *Command) addCompletion() {
	c.Func(func(shell string) error {
		if !slices.Contains(shells, shell) {
			return fmt.Errorf("no completion for shell '%s'; there is one for bash, fish, powershell and zsh", shell)
		}
		c.shell = shell
		return nil
	}, "", "completion", "SHELL", "write a completion script")
	c.Hide("completion")
}

// writeScript writes the completion script that was asked for.
func (c *Command) writeScript() error {
	c.Env.OwnForm = true
	root, out := c.cobra(), c.Env.Out
	switch c.shell {
	case "bash":
		return root.GenBashCompletionV2(out, true)
	case "fish":
		return root.GenFishCompletion(out, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(out)
	}
	return root.GenZshCompletion(out)
}

// completes reports whether a completion script has called the command.
func (c *Command) completes() bool {
	return len(c.Env.Args) > 0 && (c.Env.Args[0] == cobra.ShellCompRequestCmd || c.Env.Args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete answers a completion script.
func (c *Command) complete(ctx context.Context) error {
	c.Env.OwnForm = true
	root := c.cobra()
	root.SetArgs(c.Env.Args)
	root.SetOut(c.Env.Out)
	root.SetErr(c.Env.Stderr)
	return root.ExecuteContext(ctx)
}

// cobra returns a command of cobra's with the options of c.
func (c *Command) cobra() *cobra.Command {
	root := &cobra.Command{
		Use:                c.name + " " + c.Operands,
		DisableFlagParsing: true,
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
		Run:                func(*cobra.Command, []string) {},
	}
	root.Flags().SortFlags = false
	for o := range c.All() {
		root.Flags().AddFlag(Flag(o))
	}
	return root
}

// Flag returns an option as a flag of pflag's.
func Flag(o *option.Option) *pflag.Flag {
	f := &pflag.Flag{Name: o.Long, Shorthand: o.Short, Usage: o.Text, Hidden: o.Hidden, Value: value{o}}
	if o.Word == "" {
		f.NoOptDefVal = "true"
	}
	return f
}

// value is an option as a value of pflag's. Cobra looks for a boolean option "help" of its own and
// must find it unset.
type value struct{ *option.Option }

// Set implements pflag.Value.
func (v value) Set(arg string) error {
	if v.Word == "" {
		arg = ""
	}
	return v.Option.Set(arg)
}

// String implements pflag.Value.
func (v value) String() string {
	if v.Option == nil || v.Word != "" {
		return ""
	}
	return "false"
}

// Type returns the word that stands for the argument.
func (v value) Type() string {
	if v.Word == "" {
		return "bool"
	}
	return v.Word
}
