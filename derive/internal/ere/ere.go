// Package ere matches POSIX extended regular expressions as the GNU C library does in the C locale.
//
// The extensions of the library are included: the escapes \w \W \s \S \b \B \< \> \` and \', back
// references, and intervals such as {,3}. Expressions work on bytes. An error in one syntax is a
// character in the other, so this package has a parser of its own (parse.go, bracket.go). It gives
// the tree to Go's regexp in Go's syntax (re2.go), which takes time proportional to the lengths of
// expression and text. Back references, \< and \>, and intervals that are too large for regexp are
// left to a backtracker (backtrack.go).
package ere

import (
	"regexp"
	"strings"
)

// A Regexp is a compiled expression. It may be used by several goroutines at once.
type Regexp struct {
	std    *regexp.Regexp // nil for what only the backtracker knows
	tree   *node
	groups int
}

// Compile compiles an expression. The text of an error is that of the C library. An expression that
// needs more than about 65000 states is an error.
func Compile(expr string) (*Regexp, error) {
	p := parser{src: expr}
	p.next()
	tree := p.alternatives()
	if p.err != "" {
		return nil, p.err
	}
	if states(tree) > maxStates {
		return nil, errSize
	}
	re := &Regexp{tree: tree, groups: p.groups}
	w := re2{bytes: true}
	if w.node(tree); !w.failed {
		re.std, _ = regexp.Compile(w.text.String()) // an error is a limit of intervals or of depth
	}
	return re, nil
}

// Match reports whether the expression matches anywhere in the text. The backtracker gives up,
// without a match, after a million steps.
func (re *Regexp) Match(text string) bool {
	if re.std == nil {
		return backtrack(re.tree, re.groups, text)
	}
	return re.std.MatchString(characters(text))
}

// characters returns the text with a character for each byte, as regexp works on characters.
func characters(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			var b strings.Builder
			for j := range len(text) {
				b.WriteRune(rune(text[j]))
			}
			return b.String()
		}
	}
	return text
}

// states returns about how many states an automaton for a part has. A number above maxStates is not
// exact.
func states(n *node) int64 {
	var sum int64
	for _, part := range n.parts {
		sum = min(sum+states(part), maxStates+1)
	}
	switch n.op {
	case opSet, opAssert:
		return 1
	case opAlt:
		return sum + int64(len(n.parts)) - 1
	case opRepeat:
		splits := int64(1)
		if n.max >= 0 {
			splits = int64(n.max - n.min)
		}
		return max(sum, 1)*max(int64(n.max), int64(n.min), 1) + splits // a part without states takes time too
	}
	return sum
}

// A compileError is a message of the C library.
type compileError string

func (e compileError) Error() string { return string(e) }

const (
	errExpression compileError = "Invalid regular expression"
	errCollation  compileError = "Invalid collation character"
	errClass      compileError = "Invalid character class name"
	errBackslash  compileError = "Trailing backslash"
	errReference  compileError = "Invalid back reference"
	errBracket    compileError = "Unmatched [, [^, [:, [., or [="
	errParen      compileError = `Unmatched ( or \(`
	errBrace      compileError = `Unmatched \{`
	errInterval   compileError = `Invalid content of \{\}`
	errRange      compileError = "Invalid range end"
	errRepetition compileError = "Invalid preceding regular expression"
	errSize       compileError = "Regular expression too big"
)

// Limits of expressions. The first is the C library's.
const (
	maxRepeat = 0x7fff
	maxNest   = 1000
	maxStates = 1 << 16
)
