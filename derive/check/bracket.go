package check

import "strings"

// bracket parses the rest of a bracket expression: [abc], [^a-z], []x], [[:alpha:]_]. A backslash in it is a byte like any
// other.
func (p *patternParser) bracket() *byteSet {
	set := new(byteSet)
	negated := p.off < len(p.src) && p.src[p.off] == '^'
	if negated {
		p.off++
	}
	if p.off >= len(p.src) {
		p.fail(errPattern)
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

// A bracketElement is [=x=] or [:class:], by the kind '=' or ':', or it is one character, by the kind '.': a byte, or the
// name in [.x.].
type bracketElement struct {
	kind byte
	name string
}

// bracketItem parses one element or range and adds it to the set.
func (p *patternParser) bracketItem(set *byteSet, first bool) {
	from := p.bracketElement(first)
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
		p.addRange(set, from, p.bracketElement(true))
	}
}

// addRange adds all bytes from one to the other.
func (p *patternParser) addRange(set *byteSet, from, to bracketElement) {
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

// addElement adds what is not part of a range.
func (p *patternParser) addElement(set *byteSet, e bracketElement) {
	if e.kind != ':' {
		if len(e.name) != 1 {
			p.fail(errCollation)
			return
		}
		set.add(e.name[0])
		return
	}
	in := byteClass(e.name)
	if in == nil {
		p.fail(errClass)
		return
	}
	for c := range 256 {
		if in(byte(c)) {
			set.add(byte(c))
		}
	}
}

// bracketElement parses an element. A minus that begins neither the whole nor the end of a range must be the last byte.
func (p *patternParser) bracketElement(hyphen bool) bracketElement {
	rest := p.src[p.off:]
	c := rest[0]
	switch {
	case c == '[' && len(rest) > 1 && (rest[1] == '.' || rest[1] == '=' || rest[1] == ':'):
		return p.bracketSymbol(rest[1])
	case c == '-' && !hyphen && !strings.HasPrefix(rest, "-]"):
		p.fail(errRange)
		return bracketElement{}
	}
	p.off++
	return bracketElement{'.', rest[:1]}
}

// bracketSymbol parses what stands between [. and .] or the like.
func (p *patternParser) bracketSymbol(kind byte) bracketElement {
	start := p.off + 2
	n := strings.Index(p.src[start:], string(kind)+"]")
	if n < 0 || n > maxSymbol {
		p.fail(errBracket)
		return bracketElement{}
	}
	p.off = start + n + 2
	return bracketElement{kind, p.src[start : start+n]}
}

// maxSymbol is the length of the longest name that the C library looks for in brackets.
const maxSymbol = 31

// byteClass gives the class of bytes of that name, nil if there is none.
func byteClass(name string) func(byte) bool {
	switch name {
	case "alnum":
		return isAlnumByte
	case "alpha":
		return func(c byte) bool { return isUpperByte(c) || isLowerByte(c) }
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		return isDigitByte
	case "graph":
		return isGraphByte
	case "lower":
		return isLowerByte
	case "print":
		return func(c byte) bool { return c == ' ' || isGraphByte(c) }
	case "punct":
		return func(c byte) bool { return isGraphByte(c) && !isAlnumByte(c) }
	case "space":
		return isSpaceByte
	case "upper":
		return isUpperByte
	case "xdigit":
		return func(c byte) bool { return isDigitByte(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
	}
	return nil
}

func isUpperByte(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLowerByte(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }
func isAlnumByte(c byte) bool { return isUpperByte(c) || isLowerByte(c) || isDigitByte(c) }
func isWordByte(c byte) bool  { return c == '_' || isAlnumByte(c) }
func isGraphByte(c byte) bool { return ' ' < c && c < 0x7f }
func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
