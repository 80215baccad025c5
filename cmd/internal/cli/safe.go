package cli

import (
	"io"
	"strings"
	"unicode/utf8"

	"pmtools/internal/textwidth"
)

// A safeText filters text on its way to a terminal. Text from archives, daemons and files must
// neither control the terminal nor disguise itself: control characters, those of C1 and those that
// turn the direction of text, and bytes that are not text become question marks.
type safeText struct {
	rest []byte // the start of a character or a sequence that has not come complete
	out  []byte
}

// Sequences that pass the filter, where a command writes them itself.
const (
	colors  = 1 << iota
	redraws // what clears the screen before it is drawn again
)

// Paints says which sequences the output has from now on: colours, and those that redraw it. They
// pass in text from outside too, unless that is clean. At first there are none.
func (env *Env) Paints(color, redraw bool) {
	passes := uint32(0)
	if color {
		passes |= colors
	}
	if redraw {
		passes |= redraws
	}
	env.painted.Store(passes)
}

// Safe returns a writer that filters text for a terminal on its way to w.
func (env *Env) Safe(w io.Writer) io.Writer { return &stream{w: w, terminal: true, env: env} }

// longest is the length of the longest sequence that passes.
const longest = 11 // ESC [ 38;5;255 m

// filter returns the text of p, preceded by the rest of the last call, without control sequences
// except those that pass.
func (s *safeText) filter(p []byte, passes uint32) []byte {
	p = append(s.rest, p...)
	s.out, s.rest = s.out[:0], nil
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		size, more := 0, r == '\r' && len(p) == 1
		if r == 0x1b {
			size, more = sequence(p, passes)
		}
		switch {
		case !utf8.FullRune(p), more:
			s.rest = append(s.rest, p...)
			return s.out
		case size > 0:
			n = size
			s.out = append(s.out, p[:n]...)
		case unsafe(r, n), r == '\r' && p[1] != '\n':
			s.out = append(s.out, '?')
		default:
			s.out = append(s.out, p[:n]...)
		}
		p = p[n:]
	}
	return s.out
}

// sequence returns the length of a sequence that our own texts have, at the start of p: a colour,
// or what redraws a chart. It is 0 for others, and for those that do not pass; more is set if p ends
// too early to tell.
func sequence(p []byte, passes uint32) (n int, more bool) {
	if len(p) > 1 && p[1] != '[' {
		return 0, false
	}
	for n = 2; n < len(p) && (p[n] == ';' || '0' <= p[n] && p[n] <= '9'); n++ {
	}
	if n >= len(p) {
		return 0, n < longest
	}
	args, known := string(p[2:n]), false
	color, indexed := strings.CutPrefix(args, "38;5;")
	switch p[n] {
	case 'H':
		known = passes&redraws != 0 && args == ""
	case 'J':
		known = passes&redraws != 0 && args == "2"
	case 'm':
		known = passes&colors != 0 && (args == "" || indexed && len(color) <= 3 && !strings.Contains(color, ";") ||
			len(args) == 1 && args <= "2" || len(args) == 2 && (args[0] == '3' || args[0] == '9') && args[1] != ';')
	}
	if !known {
		return 0, false
	}
	return n + 1, false
}

func unsafe(r rune, n int) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r == utf8.RuneError:
		return n == 1
	}
	return textwidth.Obeyed(r)
}
