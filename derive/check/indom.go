package check

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// An InDomMap says which instance domains have the same instances (derived.md D7.6). It is
// immutable.
type InDomMap struct {
	lines [][]inDomRange
}

// An inDomRange is one instance domain, or all of one agent.
type inDomRange struct {
	inDom pcp.InDom
	all   bool
}

// has reports whether d is in the range.
func (r inDomRange) has(d pcp.InDom) bool {
	return r.inDom == d || r.all && r.inDom.Domain() == d.Domain()
}

// Equivalent reports whether values of two instance domains may be combined. A nil map has none; it
// is meant for Options.Equivalent.
func (m *InDomMap) Equivalent(a, b pcp.InDom) bool {
	if m == nil {
		return a == b
	}
	for _, line := range m.lines {
		var hasA, hasB bool
		for _, r := range line {
			hasA = hasA || r.has(a)
			hasB = hasB || r.has(b)
		}
		if hasA && hasB {
			return true
		}
	}
	return a == b
}

// An InDomError is a mistake in a line of a map of instance domains, in the words of the reference.
type InDomError struct {
	Line int // from 1
	Text string
}

// Error returns the line and the text.
func (e *InDomError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// ParseInDomMap reads a map (indom.conf). The instance domains in one line are equivalent:
// domain.serial, or domain.* for all of an agent. The rest of a line from # on is a comment. With
// an error there is no map; the error joins one
// *InDomError for each bad line.
//
// Blanks at the end of a line are ignored; the reference ignores the whole line because of them.
func ParseInDomMap(text string) (*InDomMap, error) {
	m := new(InDomMap)
	var errs []error
	for n := 1; text != ""; n++ {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		p := inDomParser{line: line}
		ranges := p.ranges()
		switch {
		case !ended && strings.Trim(line, blanks) != "":
			errs = append(errs, &InDomError{n, "expected newline, found End-of-File"})
		case p.err != "":
			errs = append(errs, &InDomError{n, p.err})
		case len(ranges) > 1 || len(ranges) == 1 && ranges[0].all:
			m.lines = append(m.lines, ranges)
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return m, nil
}

// What may stand between the instance domains of a line.
const blanks = " \t"

// An inDomParser reads one line. Its error is empty if all is well.
type inDomParser struct {
	line string
	err  string
}

// ranges reads the whole line.
func (p *inDomParser) ranges() []inDomRange {
	var list []inDomRange
	for {
		p.line = strings.TrimLeft(p.line, blanks)
		if p.line == "" || p.line[0] == '#' {
			return list
		}
		r := p.inDom()
		if p.err != "" {
			return nil
		}
		list = append(list, r)
	}
}

// inDom reads one instance domain.
func (p *inDomParser) inDom() inDomRange {
	if !isDigit(p.peek()) {
		return p.fail("<domain> expected, found '%s'", p.found())
	}
	domainText, domain := p.number("domain", len("511"), pcp.DynamicDomain)
	if p.err != "" {
		return inDomRange{}
	}
	if p.peek() != '.' {
		return p.fail("'.' expected after <domain> %s, found '%s'", domainText, p.found())
	}
	p.line = p.line[1:]
	r := inDomRange{inDom: pcp.NewInDom(domain, 0)}
	text := "*"
	switch c := p.peek(); {
	case c == '*':
		r.all = true
		p.line = p.line[1:]
	case isDigit(c):
		var serial uint32
		text, serial = p.number("serial", len("4194303"), maxSerial)
		r.inDom = pcp.NewInDom(domain, serial)
	default:
		return p.fail("digit or '*' expected after <domain> %s, found '%s'", domainText, p.found())
	}
	if c := p.peek(); p.err == "" && c != '\n' && !strings.ContainsRune(blanks, rune(c)) {
		return p.fail("newline or whitespace expected after <serial> %s, found '%s'", text, p.found())
	}
	return r
}

// maxSerial is the largest serial number of an instance domain.
const maxSerial = 1<<22 - 1

// number reads digits and checks their number and value.
func (p *inDomParser) number(what string, digits int, limit uint32) (string, uint32) {
	end := 0
	for end < len(p.line) && isDigit(p.line[end]) {
		end++
	}
	text := p.line[:end]
	p.line = p.line[end:]
	if end > digits {
		p.fail("<%s> %s... too long", what, text[:digits+1])
		return text, 0
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > uint64(limit) {
		p.fail("<%s> %s too big", what, text)
	}
	return text, uint32(n)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// peek returns the next byte, a newline at the end of the line.
func (p *inDomParser) peek() byte {
	if p.line == "" {
		return '\n'
	}
	return p.line[0]
}

// found is the next byte for messages.
func (p *inDomParser) found() string { return string([]byte{p.peek()}) }

// fail records the first error.
func (p *inDomParser) fail(format string, args ...any) inDomRange {
	if p.err == "" {
		p.err = fmt.Sprintf(format, args...)
	}
	return inDomRange{}
}
