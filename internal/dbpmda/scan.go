package dbpmda

import (
	"slices"
	"strings"

	"pmtools/internal/ctext"
)

type kind int

const (
	end    kind = iota // of the line
	word               // a name, or in the arguments of open a path or anything else
	number             // digits
	two                // 60.1
	three              // 60.0.1
	text               // between quotes
	comma              // between the metrics of fetch
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
	// report prints a mistake after which the line goes on. The reference then counts no characters any more.
	report   func(*syntaxError)
	reported bool

	ahead    *token // that peek has read
	aheadErr error
}

const blanks = " \t"

// next takes a token.
func (l *line) next() (token, error) {
	if l.ahead != nil {
		t, err := *l.ahead, l.aheadErr
		l.ahead, l.aheadErr = nil, nil
		return t, err
	}
	t, err := l.scan()
	if l.reported {
		t.read = 0
	}
	return t, err
}

// peek returns the token that next takes.
func (l *line) peek() (token, error) {
	t, err := l.next()
	l.ahead, l.aheadErr = &t, err
	return t, err
}

// illegal reports a character that begins no token, and leaves it out. A second one on a line is an error.
func (l *line) illegal(message string, read int) error {
	if l.reported {
		return &syntaxError{errSyntax, 0}
	}
	l.report(&syntaxError{message, read})
	l.reported = true
	return nil
}

func (l *line) scan() (token, error) {
	rest := strings.TrimLeft(l.all[l.pos:], blanks)
	l.pos = len(l.all) - len(rest)
	switch {
	case rest == "" || rest[0] == '#':
		l.pos = len(l.all)
		return token{end, "", len(l.all)}, nil
	case !l.words && (rest[0] == '"' || rest[0] == '\''):
		return l.quoted(rest)
	case !l.words && rest[0] == ',':
		l.pos++
		return token{comma, ",", l.pos}, nil
	}
	n := 1
	part := func(c byte) bool { return c == '.' || c == '-' || c == '_' || ctext.IsDigit(c) || ctext.IsLetter(c) }
	if l.words {
		part = func(c byte) bool { return !strings.ContainsRune(" \t#", rune(c)) }
	} else if c := rest[0]; c != '-' && !ctext.IsDigit(c) && !ctext.IsLetter(c) {
		l.pos++
		if err := l.illegal("Illegal character", l.pos); err != nil {
			return token{}, err
		}
		return l.scan()
	}
	for n < len(rest) && part(rest[n]) {
		n++
	}
	if parts := strings.SplitAfterN(rest[:n], ".", 4); !l.words && len(parts) == 4 && kindOf(strings.TrimSuffix(strings.Join(parts[:3], ""), "."), false) == three {
		n -= len(parts[3]) + 1 // an identifier has three parts; the dot after it is illegal
	}
	l.pos += n
	// The end of a word shows in the character after it.
	return token{kindOf(rest[:n], l.words), rest[:n], min(l.pos+1, len(l.all))}, nil
}

func (l *line) quoted(rest string) (token, error) {
	n := strings.IndexByte(rest[1:], rest[0])
	switch {
	case n < 0 && len(rest) > 1:
		if err := l.illegal("Expected "+rest[:1], len(l.all)); err != nil {
			return token{}, err
		}
		return token{}, &syntaxError{errSyntax, 0}
	case n < 0:
		l.pos++
		if err := l.illegal("Illegal character", l.pos); err != nil {
			return token{}, err
		}
		return l.scan()
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
