package check

// Patterns are POSIX extended regular expressions with the extensions of the GNU C library: the escapes \w \W \s \S \b \B
// \< \> \` and \', back references, and intervals such as {,3}. They work on bytes, as in the C locale. Go's regexp has
// no word starts, no back references and other limits, and what is an error in one is a character in the other; so here
// is a parser of its own (this file and bracket.go), a simulation of the automaton, which takes time proportional to the
// lengths of pattern and text (automaton.go), and a backtracker for patterns with back references (backtrack.go).

// CompilePattern makes a matcher of a POSIX extended regular expression, which matches anywhere in a text. The text of
// an error is that of the C library. Patterns that need more than about 65000 states are errors, and the search for a
// match of a pattern with back references gives up, without one, after a million steps. The matcher may be called by
// several goroutines at once.
func CompilePattern(ere string) (match func(text string) bool, err error) {
	p := patternParser{src: ere}
	p.next()
	tree := p.alternatives()
	if p.err != "" {
		return nil, p.err
	}
	a, err := compileAutomaton(tree)
	switch {
	case err != nil:
		return nil, err
	case p.hasRefs:
		return newBacktracker(tree, p.groups).match, nil
	}
	return a.match, nil
}

// A patternError is a text of the C library.
type patternError string

func (e patternError) Error() string { return string(e) }

// The errors of patterns.
const (
	errPattern     patternError = "Invalid regular expression"
	errCollation   patternError = "Invalid collation character"
	errClass       patternError = "Invalid character class name"
	errBackslash   patternError = "Trailing backslash"
	errReference   patternError = "Invalid back reference"
	errBracket     patternError = "Unmatched [, [^, [:, [., or [="
	errParen       patternError = `Unmatched ( or \(`
	errBrace       patternError = `Unmatched \{`
	errInterval    patternError = `Invalid content of \{\}`
	errRange       patternError = "Invalid range end"
	errRepetition  patternError = "Invalid preceding regular expression"
	errPatternSize patternError = "Regular expression too big"
)

// Limits of patterns. The first is the C library's.
const (
	maxRepeat = 0x7fff
	maxNest   = 1000
)

// A patternOp is a kind of a part of a pattern.
type patternOp uint8

const (
	opEmpty  patternOp = iota // matches nothing, at once
	opSet                     // one byte of a set
	opAssert                  // a place
	opCat                     // parts, one behind the other
	opAlt                     // one of the parts
	opRepeat                  // the only part, min to max times
	opGroup                   // the only part, remembered as group n
	opRef                     // what group n has matched
)

// A patternNode is a part of a pattern.
type patternNode struct {
	op       patternOp
	set      *byteSet
	place    place
	parts    []*patternNode
	min, max int // max is -1 if there is no limit
	group    int
}

// A place is what an assertion demands of a position.
type place uint8

const (
	placeStart      place = iota // of the text
	placeEnd                     // of the text
	placeWordStart               // of a word
	placeWordEnd                 // of a word
	placeWordEdge                // start or end of a word
	placeNoWordEdge              // neither start nor end of a word
)

// holds reports whether position i of a text is such a place.
func (p place) holds(text string, i int) bool {
	before := i > 0 && isWordByte(text[i-1])
	after := i < len(text) && isWordByte(text[i])
	switch p {
	case placeStart:
		return i == 0
	case placeEnd:
		return i == len(text)
	case placeWordStart:
		return !before && after
	case placeWordEnd:
		return before && !after
	case placeWordEdge:
		return before != after
	}
	return before == after
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// negate makes s the set of all other bytes.
func (s *byteSet) negate() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// setOf gives the set of the bytes for which in holds.
func setOf(in func(byte) bool) *byteSet {
	s := new(byteSet)
	for c := 0; c < 256; c++ {
		if in(byte(c)) {
			s.add(byte(c))
		}
	}
	return s
}

// A patternToken is a kind of token of a pattern.
type patternToken uint8

const (
	tokEnd   patternToken = iota
	tokByte               // an ordinary byte, also an escaped one
	tokSet                // . \w \W \s \S
	tokPlace              // ^ $ \< \> \b \B \` \'
	tokRef                // \1 to \9
	tokOpen
	tokClose
	tokBar
	tokRepeat // * + ?
	tokBrace  // {
	tokBracket
	tokBackslash // at the end
)

// A patternParser parses a pattern. After an error the current token is the end.
type patternParser struct {
	src string
	off int // behind the token

	tok   patternToken
	c     byte // the byte, the operator, or the digit of a reference
	set   *byteSet
	place place

	groups   int
	complete [10]bool // groups that can be referred to
	hasRefs  bool
	nest     int
	err      patternError
}

// fail keeps the first error.
func (p *patternParser) fail(err patternError) *patternNode {
	if p.err == "" {
		p.err = err
	}
	p.tok, p.off = tokEnd, len(p.src)
	return &patternNode{op: opEmpty}
}

// next scans a token.
func (p *patternParser) next() {
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

// escape scans the rest of a token that begins with a backslash.
func (p *patternParser) escape() {
	if p.off >= len(p.src) {
		p.tok = tokBackslash
		return
	}
	p.c = p.src[p.off]
	p.off++
	p.tok = tokPlace
	switch p.c {
	case '<':
		p.place = placeWordStart
	case '>':
		p.place = placeWordEnd
	case 'b':
		p.place = placeWordEdge
	case 'B':
		p.place = placeNoWordEdge
	case '`':
		p.place = placeStart
	case '\'':
		p.place = placeEnd
	case 'w':
		p.tok, p.set = tokSet, setOf(isWordByte)
	case 'W':
		p.tok, p.set = tokSet, setOf(func(c byte) bool { return !isWordByte(c) })
	case 's':
		p.tok, p.set = tokSet, setOf(isSpaceByte)
	case 'S':
		p.tok, p.set = tokSet, setOf(func(c byte) bool { return !isSpaceByte(c) })
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.tok = tokRef
	default:
		p.tok = tokByte
	}
}

// alternatives parses branches with bars between them. A branch may be empty. It cannot refer to groups of those before
// it, but what follows can.
func (p *patternParser) alternatives() *patternNode {
	n := &patternNode{op: opAlt}
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

// branch parses what stands between bars. Outside of groups a closing parenthesis is an ordinary byte.
func (p *patternParser) branch() *patternNode {
	n := &patternNode{op: opCat}
	for p.tok != tokBar && p.tok != tokEnd && !(p.tok == tokClose && p.nest > 0) {
		n.parts = append(n.parts, p.repeated())
	}
	return n
}

// repeated parses an atom and the repetitions behind it. There are none behind a place.
func (p *patternParser) repeated() *patternNode {
	if p.tok == tokPlace {
		n := &patternNode{op: opAssert, place: p.place}
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
		n = &patternNode{op: opRepeat, parts: []*patternNode{n}, min: low, max: high}
		p.next()
	}
	return n
}

// atom parses one byte, set, reference or group.
func (p *patternParser) atom() *patternNode {
	n := &patternNode{op: opSet}
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

// group parses a pattern in parentheses.
func (p *patternParser) group() *patternNode {
	p.groups++
	n := &patternNode{op: opGroup, group: p.groups}
	if p.nest++; p.nest > maxNest {
		return p.fail(errPatternSize)
	}
	p.next()
	n.parts = []*patternNode{p.alternatives()}
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

// interval parses the rest of {m}, {m,}, {m,n} and {,n} up to the brace, which stays the current token.
func (p *patternParser) interval() (low, high int) {
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
		p.fail(errPatternSize)
	default:
		return low, high
	}
	return 0, 0
}

// What number gives if there is no number. The first is also a repetition without a limit.
const (
	noNumber  = -1
	badNumber = -2
)

// number parses digits up to a comma or brace, which becomes the current token.
func (p *patternParser) number() int {
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
