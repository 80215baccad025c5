package dbpmda

import (
	"slices"
	"strings"

	"pmtools/lib/internal/ctext"
)

type kind int

const (
	end    kind = iota // of the line
	word               // a name, or in the arguments of open a path or anything else
	number             // digits
	two                // 60.1
	three              // 60.0.1
	text               // between quotes
	flag               // -x
)

type token struct {
	kind
	text string
	read int // how many characters were read when it was known
}

type syntaxError struct {
	message string
	read    int // how many characters of the line were read by then
}

// Error implements error.
func (e *syntaxError) Error() string { return e.message }

type line struct {
	all   string
	pos   int
	words bool // any text between blanks is a word
}

const blanks = " \t,"

func (l *line) next() (token, error) {
	rest := strings.TrimLeft(l.all[l.pos:], blanks)
	l.pos = len(l.all) - len(rest)
	switch {
	case rest == "" || rest[0] == '#':
		l.pos = len(l.all)
		return token{end, "", len(l.all)}, nil
	case !l.words && (rest[0] == '"' || rest[0] == '\''):
		return l.quoted(rest)
	}
	n := 1
	part := func(c byte) bool { return c == '.' || c == '-' || c == '_' || ctext.IsDigit(c) || ctext.IsLetter(c) }
	if l.words {
		part = func(c byte) bool { return !strings.ContainsRune(" \t#", rune(c)) }
	} else if c := rest[0]; c != '-' && !ctext.IsDigit(c) && !ctext.IsLetter(c) {
		return token{}, &syntaxError{"Illegal character", l.pos + 1}
	}
	for n < len(rest) && part(rest[n]) {
		n++
	}
	l.pos += n
	// The end of a word shows in the character after it.
	return token{kindOf(rest[:n], l.words), rest[:n], min(l.pos+1, len(l.all))}, nil
}

func (l *line) quoted(rest string) (token, error) {
	n := strings.IndexByte(rest[1:], rest[0])
	if n < 0 {
		return token{}, &syntaxError{"Expected " + rest[:1], len(l.all)}
	}
	l.pos += n + 2
	return token{text, rest[1 : n+1], l.pos}, nil
}

func kindOf(s string, words bool) kind {
	parts := strings.Split(s, ".")
	numeric := !slices.ContainsFunc(parts, func(p string) bool {
		return p == "" || strings.ContainsFunc(p, func(r rune) bool { return r < '0' || r > '9' })
	})
	switch {
	case words && !numeric:
		return word
	case numeric && len(parts) <= 3:
		return []kind{number, two, three}[len(parts)-1]
	case s[0] == '-':
		return flag
	}
	return word
}
