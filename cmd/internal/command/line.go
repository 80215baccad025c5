package command

import (
	"slices"
	"strings"
)

// A quoting is the kind of quotes that a place of a command line is in.
type quoting byte

// The kinds of quotes. Outside of them it is zero.
const (
	bare   quoting = 0
	single quoting = '\''
	double quoting = '"'
)

// A line is the part of a shell's command line before the cursor, taken apart into words without
// running anything.
type line struct {
	words   []string // as the program would get them
	raw     string   // the last word as typed
	quote   quoting  // at the cursor
	escaped bool     // the cursor is after a backslash
}

type lineReader struct {
	fish   bool // the rules of fish, not those of bash and zsh
	lookup func(name string) (value string, ok bool)
	text   string
	line   line
	word   []byte
	inside bool // a word has begun
}

// operators are characters that have a meaning outside of quotes which a line cannot have: it would
// run another program, or stand for other words. A bracket that is open means itself.
const operators = "`;|&<>()*?{}!#^\n\r"

// readLine takes apart a command line, of which a shell has read nothing yet. It reports whether the
// words are known: a line that runs programs, or has variables that are not exported, has none.
func readLine(shell, text string, lookup func(string) (string, bool)) (line, bool) {
	r := &lineReader{fish: shell == "fish", lookup: lookup, text: text}
	for r.text != "" {
		if r.line.escaped || !r.next() {
			return line{}, false
		}
	}
	r.line.words = append(r.line.words, string(r.word))
	return r.line, true
}

func (r *lineReader) take(n int) string {
	s := r.text[:n]
	r.text, r.line.raw, r.inside = r.text[n:], r.line.raw+s, true
	return s
}

func (r *lineReader) next() bool {
	switch c := r.text[0]; {
	case c == '\\':
		return r.backslash()
	case r.line.quote == single:
		if c == '\'' {
			r.line.quote = bare
			r.take(1)
			return true
		}
	case c == '$':
		return r.variable()
	case r.line.quote == double:
		if c == '`' && !r.fish || c == '!' {
			return false
		}
		if c == '"' {
			r.line.quote = bare
			r.take(1)
			return true
		}
	case c == ' ' || c == '\t':
		if r.inside {
			r.line.words = append(r.line.words, string(r.word))
		}
		r.text, r.word, r.line.raw, r.inside = r.text[1:], nil, "", false
		return true
	case c == '\'' || c == '"':
		r.line.quote = quoting(c)
		r.take(1)
		return true
	case strings.IndexByte(operators, c) >= 0, !r.inside && c == '=':
		return false
	case !r.inside && c == '~':
		home, ok := r.lookup("HOME")
		if r.take(1); !ok || r.text != "" && r.text[0] != '/' {
			return false
		}
		r.word = append(r.word, home...)
		return true
	}
	r.word = append(r.word, r.take(1)...)
	return true
}

func (r *lineReader) backslash() bool {
	quotable := "" // none in the single quotes of bash and zsh
	switch {
	case r.fish && r.line.quote == single:
		quotable = `\'`
	case r.fish && r.line.quote == double:
		quotable = `\"$`
	case r.line.quote == double:
		quotable = "\\\"$`"
	case r.line.quote == single:
		r.word = append(r.word, r.take(1)...)
		return true
	}
	if len(r.text) == 1 {
		r.line.escaped = true
		r.take(1)
		return true
	}
	switch c := r.text[1]; {
	case c == '\n' || r.fish && r.line.quote == bare && alphanumeric(c): // \x41 and others
		return false
	case r.line.quote == bare, strings.IndexByte(quotable, c) >= 0:
		r.take(1)
	}
	r.word = append(r.word, r.take(1)...)
	return true
}

func (r *lineReader) variable() bool {
	rest, braces := strings.CutPrefix(r.text[1:], "{")
	n := 0
	for n < len(rest) && alphanumeric(rest[n]) {
		n++
	}
	if n == 0 || rest[0] <= '9' || braces && !strings.HasPrefix(rest[n:], "}") || !braces && n < len(rest) && rest[n] == '[' {
		return false
	}
	value, ok := r.lookup(rest[:n])
	if !ok || r.line.quote == bare && strings.ContainsAny(value, " \t\n*?[\\") {
		return false
	}
	if n++; braces {
		n += 2
	}
	r.take(n)
	r.word = append(r.word, value...)
	return true
}

func alphanumeric(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func (l *line) last() string { return l.words[len(l.words)-1] }

// typed returns a text as one types it in bash after the line. Each character has a form of its own,
// of which none is the beginning of another's: the common prefix of two texts is one of their forms,
// up to a backslash or a closed quote. It reports whether there is such a form.
func (l *line) typed(text string) (string, bool) {
	var b strings.Builder
	if l.escaped && text != "" {
		c := text[0]
		if l.quote == double && strings.IndexByte("\\\"$`", c) < 0 {
			return "", false
		}
		b.WriteByte(c)
		text = text[1:]
	}
	for i := range len(text) {
		switch c := text[i]; {
		case l.quote == single && c == '\'':
			b.WriteString(`'\''`)
		case l.quote == double && c == '!':
			b.WriteString(`"\!"`)
		case l.quote == double && strings.IndexByte("\\\"$`", c) >= 0, l.quote == bare && (!plain(c) || c == '=' && l.raw == "" && b.Len() == 0):
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// plain reports whether a byte means itself outside of quotes. Those beyond ASCII are letters, see
// Names.
func plain(c byte) bool {
	return alphanumeric(c) || strings.IndexByte("./,:@%+-=", c) >= 0 || c >= 0x80
}

// arguments returns the words after the program's name, which others such as variables may precede.
func (l *line) arguments(prog string) []string {
	is := func(word string) bool { return word[strings.LastIndexByte(word, '/')+1:] == prog }
	i := max(slices.IndexFunc(l.words, is), 0)
	return l.words[min(i+1, len(l.words)-1):]
}
