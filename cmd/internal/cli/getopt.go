package cli

// The scan follows getopt_long of the C library, not pflag, because scripts see
// the difference: options and operands may be mixed, short options cluster, any
// unambiguous beginning of a long option will do, and no error ends the scan
// (commands.md T1.1). pflag.FlagSet is the table; its order decides which option
// an ambiguous abbreviation is reported for.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// A scanner walks over arguments and sets the options of a table.
type scanner struct {
	table    *pflag.FlagSet
	args     []string
	next     int         // index in args of the next word
	posix    bool        // the first operand ends the options
	report   func(error) // is told each error
	operands []string
}

// scan handles all arguments and returns the operands in their order.
func (s *scanner) scan() []string {
	for s.next < len(s.args) {
		word := s.args[s.next]
		s.next++
		switch {
		case word == "--":
			return append(s.operands, s.args[s.next:]...)
		case strings.HasPrefix(word, "--"):
			s.long(word[2:])
		case len(word) > 1 && word[0] == '-':
			s.cluster(word[1:])
		case s.posix:
			return append(s.operands, s.args[s.next-1:]...)
		default:
			s.operands = append(s.operands, word)
		}
	}
	return s.operands
}

// cluster handles the short options of one word, whose last may have its argument
// attached. The unit is the byte, as in the reference.
func (s *scanner) cluster(letters string) {
	for i := range len(letters) {
		letter := letters[i : i+1]
		f := s.short(letter)
		switch {
		case f == nil:
			s.report(fmt.Errorf("invalid option -- '%s'", letter))
		case !takesArgument(f):
			s.set(f, "")
		case i+1 < len(letters):
			s.set(f, letters[i+1:])
			return
		case s.next < len(s.args):
			s.set(f, s.args[s.next])
			s.next++
		default:
			s.report(fmt.Errorf("option requires an argument -- '%s'", letter))
		}
	}
}

// short returns the option with a letter, or nil.
func (s *scanner) short(letter string) *pflag.Flag {
	if letter[0] >= 0x80 {
		return nil // no option has such a letter, and pflag might panic
	}
	return s.table.ShorthandLookup(letter)
}

// long handles a long option, given without its two dashes.
func (s *scanner) long(word string) {
	name, arg, attached := strings.Cut(word, "=")
	if name == "" {
		s.report(errors.New("option '--' doesn't allow an argument"))
		return
	}
	f, others := s.match(name)
	switch {
	case f == nil:
		s.report(fmt.Errorf("unrecognized option '--%s'", word))
	case len(others) > 0:
		s.report(ambiguous(word, f, others))
	case !takesArgument(f) && attached:
		s.report(fmt.Errorf("option '--%s' doesn't allow an argument", f.Name))
	case !takesArgument(f), attached:
		s.set(f, arg)
	case s.next < len(s.args):
		s.set(f, s.args[s.next])
		s.next++
	default:
		s.report(fmt.Errorf("option '--%s' requires an argument", f.Name))
	}
}

// match returns the option that name stands for: the one called so, or else the
// first that begins so, with the others that begin so too. A hidden option has no
// abbreviations.
func (s *scanner) match(name string) (first *pflag.Flag, others []*pflag.Flag) {
	if f := s.table.Lookup(name); f != nil {
		return f, nil
	}
	s.table.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || !strings.HasPrefix(f.Name, name):
		case first == nil:
			first = f
		default:
			others = append(others, f)
		}
	})
	return first, others
}

// ambiguous returns the message for an abbreviation of several options: the first
// of the table, then the others from the table's end.
func ambiguous(word string, first *pflag.Flag, others []*pflag.Flag) error {
	var b strings.Builder
	fmt.Fprintf(&b, "option '--%s' is ambiguous; possibilities: '--%s'", word, first.Name)
	for i := len(others) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, " '--%s'", others[i].Name)
	}
	return errors.New(b.String())
}

// set gives an argument to an option and reports what is wrong with it.
func (s *scanner) set(f *pflag.Flag, arg string) {
	if err := f.Value.Set(arg); err != nil {
		s.report(err)
	}
}

// takesArgument reports whether an option has an argument.
func takesArgument(f *pflag.Flag) bool { return f.NoOptDefVal == "" }
