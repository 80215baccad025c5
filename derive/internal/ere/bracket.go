package ere

import "strings"

// bracket parses the rest of a bracket expression: [abc], [^a-z], []x], [[:alpha:]_]. A backslash
// in it is an ordinary byte.
func (p *parser) bracket() *byteSet {
	set := new(byteSet)
	negated := p.off < len(p.src) && p.src[p.off] == '^'
	if negated {
		p.off++
	}
	if p.off >= len(p.src) {
		p.fail(errExpression)
		return set
	}
	for first := true; p.err == "" && (first || p.src[p.off] != ']'); first = false {
		p.bracketItem(set, first)
		if p.off >= len(p.src) {
			p.fail(errBracket)
		}
	}
	if p.err == "" {
		p.off++
	}
	if negated {
		set.negate()
	}
	return set
}

// An element is [=x=] or [:class:], of the kind '=' or ':', or one character, of the kind '.': a
// byte, or the name in [.x.].
type element struct {
	kind byte
	name string
}

func (p *parser) bracketItem(set *byteSet, first bool) {
	from := p.element(first)
	rest := p.src[p.off:]
	switch {
	case p.err != "":
	case from.kind != '.':
		p.addElement(set, from)
	case rest == "" || rest == "-":
		p.fail(errBracket)
	case rest[0] != '-' || rest[1] == ']':
		p.addElement(set, from)
	default:
		p.off++
		p.addRange(set, from, p.element(true))
	}
}

func (p *parser) addRange(set *byteSet, from, to element) {
	switch {
	case p.err != "":
	case to.kind != '.':
		p.fail(errRange)
	case len(from.name) != 1 || len(to.name) != 1:
		p.fail(errCollation)
	case from.name[0] > to.name[0]:
		p.fail(errRange)
	default:
		for c := int(from.name[0]); c <= int(to.name[0]); c++ {
			set.add(byte(c))
		}
	}
}

func (p *parser) addElement(set *byteSet, e element) {
	if e.kind != ':' {
		if len(e.name) != 1 {
			p.fail(errCollation)
			return
		}
		set.add(e.name[0])
		return
	}
	for _, class := range classes {
		if class.name == e.name {
			for c := range 256 {
				if class.has(byte(c)) {
					set.add(byte(c))
				}
			}
			return
		}
	}
	p.fail(errClass)
}

// element parses an element. A minus that starts neither the bracket expression nor the end of a
// range must be the last byte.
func (p *parser) element(hyphen bool) element {
	rest := p.src[p.off:]
	c := rest[0]
	switch {
	case c == '[' && len(rest) > 1 && (rest[1] == '.' || rest[1] == '=' || rest[1] == ':'):
		return p.symbol(rest[1])
	case c == '-' && !hyphen && !strings.HasPrefix(rest, "-]"):
		p.fail(errRange)
		return element{}
	}
	p.off++
	return element{'.', rest[:1]}
}

// symbol parses [.x.], [=x=] or [:class:].
func (p *parser) symbol(kind byte) element {
	start := p.off + 2
	n := strings.Index(p.src[start:], string(kind)+"]")
	if n < 0 || n > maxSymbol {
		p.fail(errBracket)
		return element{}
	}
	p.off = start + n + 2
	return element{kind, p.src[start : start+n]}
}

// maxSymbol is the length of the longest name that the C library accepts in brackets.
const maxSymbol = 31
