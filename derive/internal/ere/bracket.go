package ere

import (
	"fmt"
	"strings"
)

type byteSet [256]bool

// classes are the sets that have names, each with the first and last bytes of its ranges.
var classes = [...]struct{ name, ranges string }{
	{"alnum", "09AZaz"},
	{"alpha", "AZaz"},
	{"blank", "\t\t  "},
	{"cntrl", "\x00\x1f\x7f\x7f"},
	{"digit", "09"},
	{"graph", "!~"},
	{"lower", "az"},
	{"print", " ~"},
	{"punct", "!/:@[`{~"},
	{"space", spaceRanges},
	{"upper", "AZ"},
	{"xdigit", "09AFaf"},
}

const (
	spaceRanges = "\t\r  "
	wordRanges  = "09AZ__az"
)

// add adds ranges, each given as its first and last byte.
func (s *byteSet) add(ranges string) {
	for ; ranges != ""; ranges = ranges[2:] {
		for c := int(ranges[0]); c <= int(ranges[1]); c++ {
			s[c] = true
		}
	}
}

func (s *byteSet) negate() {
	for i := range s {
		s[i] = !s[i]
	}
}

// bracket parses the rest of a bracket expression: [abc], [^a-z], []x], [[:alpha:]_]. A backslash
// in it is an ordinary byte.
func (p *parser) bracket() {
	var set byteSet
	negated := strings.HasPrefix(p.rest, "^")
	if negated {
		p.next()
	}
	if p.rest == "" {
		p.fail(errExpression)
	}
	for first := true; first || p.rest[0] != ']'; first = false {
		p.bracketItem(&set, first)
		if p.rest == "" {
			p.fail(errBracket)
		}
	}
	p.next()
	if negated {
		set.negate()
	}
	p.set(&set)
}

// An element is [=x=] or [:class:], of the kind '=' or ':', or one character, of the kind '.': a
// byte, or the name in [.x.].
type element struct {
	kind byte
	name string
}

func (p *parser) bracketItem(set *byteSet, first bool) {
	from := p.element(first)
	switch {
	case from.kind == ':':
		set.add(p.class(from.name))
	case from.kind == '.' && (p.rest == "" || p.rest == "-"):
		p.fail(errBracket)
	case from.kind == '.' && p.rest[0] == '-' && p.rest[1] != ']':
		p.next()
		p.addRange(set, from, p.element(true))
	default:
		p.addRange(set, from, element{'.', from.name})
	}
}

func (p *parser) class(name string) string {
	for _, c := range classes {
		if c.name == name {
			return c.ranges
		}
	}
	p.fail(errClass)
	return ""
}

func (p *parser) addRange(set *byteSet, from, to element) {
	switch {
	case to.kind != '.':
		p.fail(errRange)
	case len(from.name) != 1 || len(to.name) != 1:
		p.fail(errCollation)
	case from.name > to.name:
		p.fail(errRange)
	}
	set.add(from.name + to.name)
}

// element parses an element. A minus that starts neither the bracket expression nor the end of a
// range must be the last byte.
func (p *parser) element(hyphen bool) element {
	c := p.next()
	switch {
	case c == '[' && p.rest != "" && strings.IndexByte(".=:", p.rest[0]) >= 0:
		return p.symbol(p.next())
	case c == '-' && !hyphen && !strings.HasPrefix(p.rest, "]"):
		p.fail(errRange)
	}
	return element{'.', string([]byte{c})}
}

// symbol parses the rest of [.x.], [=x=] or [:class:].
func (p *parser) symbol(kind byte) element {
	const maxName = 31 // as in the C library
	name, rest, ok := strings.Cut(p.rest, string(kind)+"]")
	if !ok || len(name) > maxName {
		p.fail(errBracket)
	}
	p.rest = rest
	return element{kind, name}
}

// ranges writes a set of ranges, or of all other bytes.
func (p *parser) ranges(ranges string, negated bool) {
	var s byteSet
	s.add(ranges)
	if negated {
		s.negate()
	}
	p.set(&s)
}

// set writes a set as a list of its bytes, or of those that are missing if it has all that are not ASCII.
func (p *parser) set(s *byteSet) {
	high := 0
	for _, in := range s[128:] {
		if in {
			high++
		}
	}
	var plain byteSet // need no escape
	plain.add(wordRanges)
	negated, size := high == 128, 128
	if high != 0 && !negated {
		size, p.differs = 256, true
	}
	var list []string
	for c, in := range s[:size] {
		switch {
		case in == negated:
		case plain[c]:
			list = append(list, string(rune(c)))
		default:
			list = append(list, fmt.Sprintf(`\x%02x`, c))
		}
	}
	text := "[" + strings.Join(list, "") + "]"
	switch {
	case list == nil && negated:
		text = "(?s:.)"
	case list == nil:
		text, p.differs = `[^\x00-\x{10ffff}]`, true // a class must not be empty
	case negated:
		text = "[^" + text[1:]
	case len(list) == 1:
		text = list[0]
	}
	p.out = append(p.out, text...)
}
