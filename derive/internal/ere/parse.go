package ere

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of regexp: of the numbers of an interval, and of the depth of groups.
const (
	maxRepeat = 1000
	maxNest   = 1000
)

// A parser translates an expression while it parses it.
type parser struct {
	rest    string // not parsed yet
	out     []byte
	differs bool // the result means something else for a text of characters
	groups  int  // complete ones
	nest    int
}

// translate returns the expression in Go's syntax, for a text that has a character for each byte, and
// whether it means something else for a text of characters.
func translate(expr string) (text string, differs bool, err error) {
	p := parser{rest: expr}
	defer func() {
		if r := recover(); r != nil {
			err = r.(compileError)
		}
	}()
	p.alternatives()
	return string(p.out), p.differs, nil
}

// fail ends the translation.
func (p *parser) fail(err compileError) { panic(err) }

func (p *parser) next() byte {
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// alternatives parses branches, which may be empty, with bars between them.
func (p *parser) alternatives() {
	start := len(p.out)
	p.branch()
	if !strings.HasPrefix(p.rest, "|") {
		return
	}
	for strings.HasPrefix(p.rest, "|") {
		p.out = append(p.out, p.next())
		p.branch()
	}
	p.wrap(start)
}

// wrap puts the output from start on into parentheses.
func (p *parser) wrap(start int) {
	p.out = append(slices.Insert(p.out, start, []byte("(?:")...), ')')
}

// branch parses one alternative. Outside of groups a closing parenthesis is an ordinary byte. An
// assertion cannot be repeated.
func (p *parser) branch() {
	for p.rest != "" && p.rest[0] != '|' && (p.rest[0] != ')' || p.nest == 0) {
		if start := len(p.out); !p.assertion() {
			p.atom()
			p.repetitions(start)
		}
	}
}

var assertions = [...]struct{ ere, re2 string }{
	{"^", `\A`}, {"\\`", `\A`}, {"$", `\z`}, {`\'`, `\z`}, {`\b`, `\b`}, {`\B`, `\B`},
}

func (p *parser) assertion() bool {
	for _, a := range assertions {
		if rest, ok := strings.CutPrefix(p.rest, a.ere); ok {
			p.rest = rest
			p.out = append(p.out, a.re2...)
			p.differs = p.differs || a.ere == a.re2
			return true
		}
	}
	return false
}

func (p *parser) atom() {
	switch c := p.next(); c {
	case '(':
		p.group()
	case '[':
		p.bracket()
	case '.':
		p.ranges("\x01\xff", false)
	case '\\':
		p.escape()
	case '*', '+', '?', '{':
		p.fail(errRepetition)
	default:
		p.ranges(string([]byte{c, c}), false)
	}
}

func (p *parser) group() {
	if p.nest++; p.nest > maxNest {
		p.fail(errSize)
	}
	start := len(p.out)
	p.alternatives()
	if p.rest == "" {
		p.fail(errParen)
	}
	p.next()
	p.nest--
	p.groups++
	p.wrap(start)
}

func (p *parser) escape() {
	if p.rest == "" {
		p.fail(errBackslash)
	}
	switch c := p.next(); c {
	case 'w', 'W':
		p.ranges(wordRanges, c == 'W')
	case 's', 'S':
		p.ranges(spaceRanges, c == 'S')
	case '<', '>':
		p.fail(errNoEdges)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if int(c-'0') > p.groups {
			p.fail(errReference)
		}
		p.fail(errNoReferences)
	default:
		p.ranges(string([]byte{c, c}), false)
	}
}

// repetitions parses the repetitions after an atom whose output begins at start.
func (p *parser) repetitions(start int) {
	for n := 0; p.rest != "" && strings.IndexByte("*+?{", p.rest[0]) >= 0; n++ {
		if n > maxNest { // each is a group around those before
			p.fail(errSize)
		}
		suffix := "*"
		switch p.next() {
		case '+':
			suffix = "{1,}"
		case '?':
			suffix = "{0,1}"
		case '{':
			suffix = p.interval()
		}
		p.wrap(start)
		p.out = append(p.out, suffix...)
	}
}

// interval parses the rest of {m}, {m,}, {m,n} or {,n}.
func (p *parser) interval() string {
	low, stop := p.number()
	high := low
	if stop == ',' && low != badNumber {
		high, stop = p.number()
		low = max(low, 0)
	}
	switch {
	case stop == 0:
		p.fail(errBrace)
	case stop == ',', low < 0, high == badNumber, high != noNumber && low > high:
		p.fail(errInterval)
	case max(low, high) > maxRepeat:
		p.fail(errSize)
	case high == noNumber && low == 0:
		return "*"
	case high == noNumber:
		return fmt.Sprintf("{%d,}", low)
	}
	return fmt.Sprintf("{%d,%d}", low, high)
}

// The results of number if there is no number. The first also means a repetition without a limit.
const (
	noNumber  = -1
	badNumber = -2
)

// number parses digits up to a comma or a brace, which it returns, too. That is 0 if there is none.
func (p *parser) number() (n int, stop byte) {
	n = noNumber
	for p.rest != "" {
		switch c := p.next(); {
		case c == ',' || c == '}':
			return n, c
		case c < '0' || c > '9' || n == badNumber:
			n = badNumber
		default:
			n = min(max(n, 0)*10+int(c-'0'), maxRepeat+1)
		}
	}
	return n, 0
}
