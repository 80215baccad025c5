package option

// The scan follows getopt_long of the C library, since scripts depend on its behaviour: options and
// operands may be mixed, short options cluster, any unambiguous beginning of a long option is
// accepted, and no error ends the scan (commands.md T1.1).

import (
	"errors"
	"fmt"
	"strings"
)

type scanner struct {
	table  *Table
	rest   []string    // the words that follow
	report func(error) // receives each error
}

// Scan sets the options in args and returns the operands in their order. If posix is set, the first
// operand ends the options. All errors go to report.
func (t *Table) Scan(args []string, posix bool, report func(error)) (operands []string) {
	s := &scanner{table: t, rest: args, report: report}
	for len(s.rest) > 0 {
		switch word := s.take(); {
		case word == "--":
			return append(operands, s.rest...)
		case strings.HasPrefix(word, "--"):
			s.long(word[2:])
		case len(word) > 1 && word[0] == '-':
			s.cluster(word[1:])
		case posix:
			return append(append(operands, word), s.rest...)
		default:
			operands = append(operands, word)
		}
	}
	return operands
}

// take returns the next word and drops it.
func (s *scanner) take() string {
	word := s.rest[0]
	s.rest = s.rest[1:]
	return word
}

// cluster handles the short options of a word. Options are bytes, as in the reference.
func (s *scanner) cluster(letters string) {
	for i := range len(letters) {
		letter := letters[i : i+1]
		o := s.table.short(letter)
		switch {
		case o == nil:
			s.report(fmt.Errorf("invalid option -- '%s'", letter))
		case o.Word == "":
			s.set(o, "")
		case i+1 < len(letters):
			s.set(o, letters[i+1:])
			return
		case len(s.rest) > 0:
			s.set(o, s.take())
		default:
			s.report(fmt.Errorf("option requires an argument -- '%s'", letter))
		}
	}
}

func (s *scanner) long(word string) {
	name, arg, attached := strings.Cut(word, "=")
	if name == "" {
		s.report(errors.New("option '--' doesn't allow an argument"))
		return
	}
	candidates := s.match(name)
	if len(candidates) != 1 {
		s.report(unclear(word, candidates))
		return
	}
	switch o := candidates[0]; {
	case o.Word == "" && attached:
		s.report(fmt.Errorf("option '--%s' doesn't allow an argument", o.Long))
	case o.Word == "", attached:
		s.set(o, arg)
	case len(s.rest) > 0:
		s.set(o, s.take())
	default:
		s.report(fmt.Errorf("option '--%s' requires an argument", o.Long))
	}
}

// match returns the options that name may stand for: the option with this name, or else all options
// whose names begin with it. A hidden option has no abbreviations.
func (s *scanner) match(name string) (candidates []*Option) {
	if o := s.table.long(name); o != nil {
		return []*Option{o}
	}
	for o := range s.table.All() {
		if !o.Hidden && strings.HasPrefix(o.Long, name) {
			candidates = append(candidates, o)
		}
	}
	return candidates
}

// unclear returns the error for an unknown or ambiguous option. The message lists the first
// candidate of the table, then the others from the end of the table.
func unclear(word string, candidates []*Option) error {
	if len(candidates) == 0 {
		return fmt.Errorf("unrecognized option '--%s'", word)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "option '--%s' is ambiguous; possibilities: '--%s'", word, candidates[0].Long)
	for i := len(candidates) - 1; i > 0; i-- {
		fmt.Fprintf(&b, " '--%s'", candidates[i].Long)
	}
	return errors.New(b.String())
}

func (s *scanner) set(o *Option, arg string) {
	if err := o.Set(arg); err != nil {
		s.report(err)
	}
}
