package option

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// An Option is a row of a table.
type Option struct {
	Short, Long string // either may be ""
	Word        string // stands for the argument in the usage text; "" for an option without one
	Text        string // description in the usage text
	Hidden      bool   // see [Table.Hide]
	// Set is called each time the option is given, with "" without an argument. Its error is an
	// error of usage.
	Set func(arg string) error

	section string // the title above it in the usage text
}

// A Table is the options of a command, in the order of the usage text, which is also the order of
// the candidates of an ambiguous long option.
type Table struct {
	options []*Option
	section string // title that waits for its first option
}

// All yields the options in their order.
func (t *Table) All() iter.Seq[*Option] { return slices.Values(t.options) }

// Section begins a section of the usage text.
func (t *Table) Section(title string) { t.section = title }

// Add puts an option at the end of the table.
func (t *Table) Add(o *Option) {
	o.section, t.section = t.section, ""
	t.options = append(t.options, o)
}

// Bool adds an option without an argument that sets p. Short may be "".
func (t *Table) Bool(p *bool, short, long, text string) {
	t.Func(func(string) error { *p = true; return nil }, short, long, "", text)
}

// Count adds an option without an argument, and counts its occurrences.
func (t *Table) Count(p *int, short, long, text string) {
	t.Func(func(string) error { *p++; return nil }, short, long, "", text)
}

// Strings adds an option whose arguments are appended to p.
func (t *Table) Strings(p *[]string, short, long, word, text string) {
	t.Func(func(arg string) error { *p = append(*p, arg); return nil }, short, long, word, text)
}

// Func adds an option that calls f with its argument, called word in the usage text. If word is "",
// the option takes no argument.
func (t *Table) Func(f func(arg string) error, short, long, word, text string) {
	t.Add(&Option{Short: short, Long: long, Word: word, Text: text, Set: f})
}

// Hide removes an option from the usage text and from the abbreviations of long options: it must be
// written in full. Options that the reference does not have are hidden, so that no abbreviation of
// another option becomes ambiguous.
func (t *Table) Hide(long string) { t.must(long).Hidden = true }

func (t *Table) long(name string) *Option {
	return t.find(func(o *Option) bool { return o.Long == name })
}

// must returns the option with a long name. It panics on an unknown name.
func (t *Table) must(long string) *Option {
	if o := t.long(long); o != nil {
		return o
	}
	panic("option: there is no option " + long)
}

func (t *Table) short(letter string) *Option {
	return t.find(func(o *Option) bool { return o.Short == letter })
}

func (t *Table) find(match func(*Option) bool) *Option {
	if i := slices.IndexFunc(t.options, match); i >= 0 {
		return t.options[i]
	}
	return nil
}

const textColumn = 24 // of the texts of options in the usage text

// Usage returns the usage text.
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

func (p *Parser) ownUsage() string {
	text := ""
	for o := range p.All() {
		if o.Hidden {
			text += o.usage()
		}
	}
	if text == "" {
		return ""
	}
	return "\nOptions that PCP's " + p.Prog + " does not have, to be written in full:\n" + text
}

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
