// Package ere matches POSIX extended regular expressions as the GNU C library does in the C locale.
//
// The extensions of the library are included: the escapes \w \W \s \S \b \B \< \> \` and \', back
// references, and intervals such as {,3}. Expressions work on bytes. Go's regexp lacks word starts
// and back references, and what is an error in one is a character in the other, so this package has
// a parser of its own (parse.go, bracket.go), a simulation of the automaton that takes time
// proportional to the lengths of expression and text (automaton.go), and a backtracker for
// expressions with back references (backtrack.go).
package ere

// A Regexp is a compiled expression. It may be used by several goroutines at once.
type Regexp struct {
	automaton *automaton // nil if there are back references
	tree      *node
	groups    int
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
	a, err := newAutomaton(tree)
	if err != nil {
		return nil, err
	}
	re := &Regexp{tree: tree, groups: p.groups}
	if !p.hasRefs {
		re.automaton = a
	}
	return re, nil
}

// Match reports whether the expression matches anywhere in the text. The search for a match of an
// expression with back references gives up, without one, after a million steps.
func (re *Regexp) Match(text string) bool {
	if re.automaton != nil {
		return re.automaton.match(text)
	}
	return backtrack(re.tree, re.groups, text)
}

// A compileError is a message of the C library.
type compileError string

func (e compileError) Error() string { return string(e) }

// The errors of Compile.
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
)
