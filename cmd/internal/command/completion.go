package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

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
	return WriteScript(c.Env.Out, c.cobra(nil), c.shell)
}

// WriteScript writes a completion script for a shell.
func WriteScript(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		io.WriteString(w, words)
		return root.GenBashCompletionV2(w, true)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenZshCompletion(w)
}

// words does what the script needs of the package bash-completion where that is not there: it takes
// the words of the line apart at blanks only.
const words = `# Without the package bash-completion.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    local line=${COMP_LINE:0:COMP_POINT} i
    words=() cword=0
    read -ra words <<<"$line"
    case $line in *[[:blank:]]) words+=("") ;; esac
    cword=$((${#words[@]} - 1)) cur=${words[${#words[@]} - 1]} prev=${words[${#words[@]} > 1 ? ${#words[@]} - 2 : 0]}
}
`

// completes reports whether a completion script has called the command.
func (c *Command) completes() bool {
	return len(c.Env.Args) > 0 && (c.Env.Args[0] == cobra.ShellCompRequestCmd || c.Env.Args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete answers a completion script.
func (c *Command) complete(ctx context.Context) error {
	c.Env.OwnForm = true
	root := c.cobra(c.operands)
	root.SetArgs(c.Env.Args)
	root.SetOut(c.Env.Out)
	root.SetErr(c.Env.Stderr)
	return root.ExecuteContext(ctx)
}

// operands proposes operands, or values of the option before.
func (c *Command) operands(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if n := len(before); n > 0 && c.wants(before[n-1]) {
		if before[n-1] == "--output" {
			return []string{"csv", "json"}, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	if strings.HasPrefix(prefix, "--output=") && c.wants("--output") {
		return []string{"--output=csv", "--output=json"}, cobra.ShellCompDirectiveNoFileComp
	}
	switch {
	case strings.HasPrefix(prefix, "-"):
		return nil, cobra.ShellCompDirectiveNoFileComp
	case c.Names == nil:
		return nil, cobra.ShellCompDirectiveDefault
	}
	c.Messages = io.Discard
	if _, err := c.Parse(before); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Names(cmd.Context(), prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// wants reports whether a word is an option that takes the next word.
func (c *Command) wants(word string) bool {
	for o := range c.All() {
		if o.Word != "" && (word == "--"+o.Long || o.Short != "" && word == "-"+o.Short) {
			return true
		}
	}
	return false
}

// cobra returns a command of cobra's with the options of c, and what proposes operands.
func (c *Command) cobra(operands cobra.CompletionFunc) *cobra.Command {
	root := &cobra.Command{
		Use:                c.name + " " + c.Operands,
		DisableFlagParsing: true,
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
		Run:                func(*cobra.Command, []string) {},
		ValidArgsFunction:  operands,
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
