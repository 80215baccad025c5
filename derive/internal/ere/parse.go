package ere

import "strings"

type op uint8

const (
	opEmpty  op = iota // matches nothing, at once
	opSet              // one byte of a set
	opAssert           // a position
	opCat              // parts, one after the other
	opAlt              // one of the parts
	opRepeat           // the only part, min to max times
	opGroup            // the only part, remembered as group n
	opRef              // the text that group n matched
)

type node struct {
	op       op
	set      *byteSet
	place    place
	parts    []*node
	min, max int // max is -1 if there is no limit
	group    int
}

type token uint8

const (
	tokEnd   token = iota
	tokByte        // an ordinary byte, also an escaped one
	tokSet         // . \w \W \s \S
	tokPlace       // ^ $ \< \> \b \B \` \'
	tokRef         // \1 to \9
	tokOpen
	tokClose
	tokBar
	tokRepeat // * + ?
	tokBrace  // {
	tokBracket
	tokBackslash // at the end
)

// A parser parses an expression. After an error the current token is the end.
type parser struct {
	src string
	off int // after the token

	tok   token
	c     byte // the byte, the operator, or the digit of a reference
	set   *byteSet
	place place

	groups   int
	complete [10]bool // groups that can be referred to
	hasRefs  bool
	nest     int
	err      compileError
}

func (p *parser) fail(err compileError) *node {
	if p.err == "" {
		p.err = err
	}
	p.tok, p.off = tokEnd, len(p.src)
	return &node{op: opEmpty}
}

func (p *parser) next() {
	if p.off >= len(p.src) {
		p.tok = tokEnd
		return
	}
	p.c = p.src[p.off]
	p.off++
	switch p.c {
	case '\\':
		p.escape()
	case '(':
		p.tok = tokOpen
	case ')':
		p.tok = tokClose
	case '|':
		p.tok = tokBar
	case '*', '+', '?':
		p.tok = tokRepeat
	case '{':
		p.tok = tokBrace
	case '[':
		p.tok = tokBracket
	case '^':
		p.tok, p.place = tokPlace, placeStart
	case '$':
		p.tok, p.place = tokPlace, placeEnd
	case '.':
		p.tok, p.set = tokSet, setOf(func(c byte) bool { return c != 0 })
	default:
		p.tok = tokByte
	}
}

// escapedPlaces are the bytes that stand for the places, each after a backslash.
const escapedPlaces = "`'<>bB"

func (p *parser) escape() {
	if p.off >= len(p.src) {
		p.tok = tokBackslash
		return
	}
	p.c = p.src[p.off]
	p.off++
	if i := strings.IndexByte(escapedPlaces, p.c); i >= 0 {
		p.tok, p.place = tokPlace, place(i)
		return
	}
	switch p.c {
	case 'w':
		p.tok, p.set = tokSet, setOf(isWord)
	case 'W':
		p.tok, p.set = tokSet, setOf(func(c byte) bool { return !isWord(c) })
	case 's':
		p.tok, p.set = tokSet, setOf(isSpace)
	case 'S':
		p.tok, p.set = tokSet, setOf(func(c byte) bool { return !isSpace(c) })
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.tok = tokRef
	default:
		p.tok = tokByte
	}
}

// alternatives parses branches with bars between them. A branch may be empty. It cannot refer to
// groups of the branches before it, but what follows the alternatives can.
func (p *parser) alternatives() *node {
	n := &node{op: opAlt}
	before := p.complete
	after := before
	for {
		p.complete = before
		n.parts = append(n.parts, p.branch())
		for i, ok := range p.complete {
			after[i] = after[i] || ok
		}
		if p.tok != tokBar {
			break
		}
		p.next()
	}
	p.complete = after
	if len(n.parts) == 1 {
		return n.parts[0]
	}
	return n
}

// branch parses one alternative. Outside of groups a closing parenthesis is an ordinary byte.
func (p *parser) branch() *node {
	n := &node{op: opCat}
	for p.tok != tokBar && p.tok != tokEnd && !(p.tok == tokClose && p.nest > 0) {
		n.parts = append(n.parts, p.repeated())
	}
	return n
}

// repeated parses an atom and the repetitions after it. An assertion cannot be repeated.
func (p *parser) repeated() *node {
	if p.tok == tokPlace {
		n := &node{op: opAssert, place: p.place}
		p.next()
		return n
	}
	n := p.atom()
	for p.tok == tokRepeat || p.tok == tokBrace {
		low, high := 0, -1
		switch {
		case p.tok == tokBrace:
			low, high = p.interval()
		case p.c == '+':
			low = 1
		case p.c == '?':
			high = 1
		}
		n = &node{op: opRepeat, parts: []*node{n}, min: low, max: high}
		p.next()
	}
	return n
}

func (p *parser) atom() *node {
	n := &node{op: opSet}
	switch p.tok {
	case tokByte, tokClose:
		n.set = new(byteSet)
		n.set.add(p.c)
	case tokSet:
		n.set = p.set
	case tokBracket:
		n.set = p.bracket()
	case tokRef:
		i := int(p.c - '0')
		if !p.complete[i] {
			return p.fail(errReference)
		}
		n.op, n.group, p.hasRefs = opRef, i, true
	case tokOpen:
		return p.group()
	case tokBackslash:
		return p.fail(errBackslash)
	default:
		return p.fail(errRepetition)
	}
	p.next()
	return n
}

func (p *parser) group() *node {
	p.groups++
	n := &node{op: opGroup, group: p.groups}
	if p.nest++; p.nest > maxNest {
		return p.fail(errSize)
	}
	p.next()
	n.parts = []*node{p.alternatives()}
	if p.tok != tokClose {
		return p.fail(errParen)
	}
	p.nest--
	if n.group < len(p.complete) {
		p.complete[n.group] = true
	}
	p.next()
	return n
}

// interval parses the rest of {m}, {m,}, {m,n} or {,n} up to the brace, which stays the current
// token.
func (p *parser) interval() (low, high int) {
	low = p.number()
	switch {
	case low == noNumber && p.tok == tokByte && p.c == ',':
		low = 0
	case low == noNumber:
		p.fail(errInterval)
		return 0, 0
	}
	high = low
	if p.tok == tokByte && p.c == ',' && low != badNumber {
		high = p.number()
	}
	switch {
	case (low == badNumber || high == badNumber) && p.tok == tokEnd:
		p.fail(errBrace)
	case low == badNumber, high == badNumber, high != noNumber && low > high, !(p.tok == tokByte && p.c == '}'):
		p.fail(errInterval)
	case low > maxRepeat, high > maxRepeat:
		p.fail(errSize)
	default:
		return low, high
	}
	return 0, 0
}

// The results of number if there is no number. The first also means a repetition without a limit.
const (
	noNumber  = -1
	badNumber = -2
)

// number parses digits up to a comma or a brace, which becomes the current token.
func (p *parser) number() int {
	n := noNumber
	for {
		p.next()
		switch {
		case p.tok == tokEnd:
			return badNumber
		case p.tok == tokByte && (p.c == '}' || p.c == ','):
			return n
		case p.tok != tokByte || p.c < '0' || p.c > '9' || n == badNumber:
			n = badNumber
		default:
			n = min(max(n, 0)*10+int(p.c-'0'), maxRepeat+1)
		}
	}
}
