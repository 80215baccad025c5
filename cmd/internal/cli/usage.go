package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// textColumn is where the texts of options begin in the usage text.
const textColumn = 24

// Usage returns the usage text (commands.md T1.3).
func (c *Command) Usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n", c.Env.Prog, c.operands)
	c.cobra.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if title, ok := c.sections[f.Name]; ok {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		b.WriteString(usageLine(f))
	})
	return b.String()
}

// usageLine returns the one or two lines of an option.
func usageLine(f *pflag.Flag) string {
	short, long := "", "--"+f.Name
	if f.Shorthand != "" {
		short = "-" + f.Shorthand
	}
	if takesArgument(f) {
		word := f.Value.Type()
		long += "=" + word
		if short != "" {
			short += " " + word
		}
	}
	if short != "" {
		long = short + ", " + long
	}
	left := "  " + long
	if len(left) >= textColumn {
		left += "\n"
		return left + strings.Repeat(" ", textColumn) + f.Usage + "\n"
	}
	return fmt.Sprintf("%-*s%s\n", textColumn, left, f.Usage)
}
