package check

import (
	"errors"
	"fmt"
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

func (r inDomRange) has(d pcp.InDom) bool {
	return r.inDom == d || r.all && r.inDom.Domain() == d.Domain()
}

// Equivalent reports whether values of two instance domains may be combined. With a nil map only equal domains may be; it
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
// an error there is no map; the error joins an *InDomError for each mistake.
//
// Blanks at the end of a line are ignored; the reference ignores the whole line because of them.
func ParseInDomMap(text string) (*InDomMap, error) {
	m := new(InDomMap)
	p := inDomParser{text: text, line: 1}
	for p.text != "" {
		if ranges := p.ranges(); len(ranges) > 1 || len(ranges) == 1 && ranges[0].all {
			m.lines = append(m.lines, ranges)
		}
	}
	if p.errs != nil {
		return nil, errors.Join(p.errs...)
	}
	return m, nil
}

const blanks = " \t"

type inDomParser struct {
	text string // the rest
	line int    // where it begins
	errs []error
}

func (p *inDomParser) ranges() []inDomRange {
	var list []inDomRange
	for {
		p.text = strings.TrimLeft(p.text, blanks)
		switch {
		case p.text == "":
			return list
		case p.text[0] == '\n':
			p.text = p.text[1:]
			p.line++
			return list
		case p.text[0] == '#':
			p.skip()
			return list
		}
		r, ok := p.inDom()
		if !ok {
			return nil
		}
		list = append(list, r)
	}
}

func (p *inDomParser) inDom() (inDomRange, bool) {
	r := inDomRange{}
	if !isDigit(p.peek()) {
		return r, p.fail("<domain> expected, found '%c'")
	}
	domainText, domain, ok := p.number("domain", len("511"))
	switch {
	case !ok:
		return r, false
	case p.peek() != '.':
		return r, p.fail("'.' expected after <domain> " + domainText + ", found '%c'")
	case domain > pcp.DynamicDomain:
		return r, p.fail("<domain> " + domainText + " too big")
	}
	p.text = p.text[1:]
	text, serial := "*", uint32(0)
	switch c := p.peek(); {
	case c == '*':
		r.all = true
		p.text = p.text[1:]
	case isDigit(c):
		if text, serial, ok = p.number("serial", len("4194303")); !ok {
			return r, false
		}
	default:
		return r, p.fail("digit or '*' expected after <domain> " + domainText + ", found '%c'")
	}
	if c := p.peek(); c != '\n' && !strings.ContainsRune(blanks, rune(c)) {
		return r, p.fail("newline or whitespace expected after <serial> " + text + ", found '%c'")
	}
	if serial > maxSerial {
		p.report("<serial> " + text + " too big")
		if p.peek() == '\n' { // here it counts
			p.line++
		}
		p.skip()
		return r, false
	}
	r.inDom = pcp.NewInDom(domain, serial)
	return r, true
}

const maxSerial = 1<<22 - 1

func (p *inDomParser) number(what string, digits int) (text string, n uint32, ok bool) {
	end := 0
	for end < len(p.text) && isDigit(p.text[end]) {
		if end == digits {
			text = p.text[:end+1]
			p.text = p.text[end:]
			return text, 0, p.fail("<" + what + "> " + text + "... too long")
		}
		n = 10*n + uint32(p.text[end]-'0')
		end++
	}
	text, p.text = p.text[:end], p.text[end:]
	return text, n, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *inDomParser) peek() byte {
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

// fail reports a mistake at the next byte, which may be %c in the message, and skips the line. It
// returns false.
func (p *inDomParser) fail(message string) bool {
	if p.text != "" {
		p.report(strings.Replace(message, "%c", p.text[:1], 1))
	}
	p.skip()
	return false
}

// skip skips the next byte and the rest of its line. As in the reference this is the whole next
// line if the byte is a newline, which is not counted then.
func (p *inDomParser) skip() {
	_, rest, ended := strings.Cut(p.text[min(1, len(p.text)):], "\n")
	if !ended {
		p.report("expected newline, found End-of-File")
	}
	p.text = rest
	p.line++
}

func (p *inDomParser) report(text string) { p.errs = append(p.errs, &InDomError{p.line, text}) }
