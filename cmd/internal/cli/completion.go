package cli

import (
	"fmt"
	"io"
)

// addCompletion adds the hidden option that writes a completion script for a
// shell. The script asks the command itself, which cobra answers.
func (c *Command) addCompletion() {
	c.Func(func(shell string) error {
		switch shell {
		case "bash":
			c.script = func(w io.Writer) error { return c.cobra.GenBashCompletionV2(w, true) }
		case "fish":
			c.script = func(w io.Writer) error { return c.cobra.GenFishCompletion(w, true) }
		case "powershell":
			c.script = c.cobra.GenPowerShellCompletionWithDesc
		case "zsh":
			c.script = c.cobra.GenZshCompletion
		default:
			return fmt.Errorf("no completion for shell '%s'; there is one for bash, fish, powershell and zsh", shell)
		}
		return nil
	}, "", "completion", "SHELL", "write a completion script")
	c.Hide("completion")
}

// writeScript writes the completion script that was asked for and ends the
// command.
func (c *Command) writeScript() error {
	if err := c.script(c.Env.Out); err != nil {
		return err
	}
	return Exit(0)
}
