// Package ere translates POSIX extended regular expressions, as the GNU C library has them in the C
// locale, to Go's syntax, and has Go's regexp match them.
//
// The translation has a parser of its own, because an error in one syntax is a character in the
// other, and because the messages are those of the C library. Expressions work on bytes. The escapes
// \w \W \s \S \b \B \` and \' of the library are included; back references, \< and \>, and intervals
// beyond 1000, which regexp does not have, are errors.
package ere

import (
	"regexp"
	"strings"
)

// Compile returns a function that reports whether the expression matches anywhere in a text. The
// function may be shared by goroutines.
func Compile(expr string) (match func(text string) bool, err error) {
	translated, _, err := translate(expr)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, errSize // regexp has limits of depth and of size
	}
	return func(text string) bool { return re.MatchString(characters(text)) }, nil
}

// RE2 returns the expression in the syntax of RE2, which most databases have. It is false for an
// expression with an error, and for what means something else in a text of characters: edges of
// words, and sets that have some but not all of the bytes that are not ASCII. A character that is not
// ASCII counts as one byte.
func RE2(expr string) (string, bool) {
	translated, differs, err := translate(expr)
	return translated, err == nil && !differs
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

// A compileError is a message of the C library, or one about what regexp does not have.
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

	errNoReferences compileError = `Back references such as \1 are not supported`
	errNoEdges      compileError = `\< and \> are not supported, \b is`
)
