package option

import (
	"fmt"
	"strings"
)

// textColumn is where the texts of options begin in the usage text.
const textColumn = 24

// Usage returns the usage text (commands.md T1.3).
func (p *Parser) Usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n", p.Prog, p.Operands)
	for o := range p.All() {
		if o.Hidden {
			continue
		}
		if o.section != "" {
			fmt.Fprintf(&b, "\n%s:\n", o.section)
		}
		b.WriteString(o.usage())
	}
	return b.String()
}

// usage returns the one or two lines of an option.
func (o *Option) usage() string {
	short, long := "", "--"+o.Long
	if o.Short != "" {
		short = "-" + o.Short
	}
	if o.Word != "" {
		long += "=" + o.Word
		if short != "" {
			short += " " + o.Word
		}
	}
	if short != "" {
		long = short + ", " + long
	}
	left := "  " + long
	if len(left) >= textColumn {
		return left + "\n" + strings.Repeat(" ", textColumn) + o.Text + "\n"
	}
	return fmt.Sprintf("%-*s%s\n", textColumn, left, o.Text)
}
