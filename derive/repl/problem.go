package repl

import (
	"fmt"
	"strings"

	"pmtools/derive/syntax"
)

// A Problem is why an item failed, told for people.
type Problem struct {
	Msg   string   // one line, lower case
	Src   string   // the text that Pos is an offset into; empty if there is no place to show
	Pos   int      // of the byte that is to blame; the length of Src for its end
	Notes []string // more lines
	Err   error    // the cause, or nil
}

// problemf returns a Problem without a place.
func problemf(format string, args ...any) *Problem {
	return &Problem{Msg: fmt.Sprintf(format, args...)}
}

// Error returns the message on one line, with the column, counted in bytes from 1.
func (p *Problem) Error() string {
	if p.Src == "" {
		return p.Msg
	}
	return fmt.Sprintf("column %d: %s", p.Pos+1, p.Msg)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Text returns the message, the source with a caret under the place, and the notes, each line with its newline. Every line
// but the first is indented.
func (p *Problem) Text() string {
	var b strings.Builder
	b.WriteString(p.Msg + "\n")
	if p.Src != "" {
		for line := range strings.Lines(snippet(p.Src, p.Pos)) {
			b.WriteString("  " + line)
		}
	}
	for _, n := range p.Notes {
		b.WriteString("  " + n + "\n")
	}
	return b.String()
}

// snippetContext is how many bytes of a long line are shown on each side of the place.
const snippetContext = 400

// snippet draws the line with a caret. What is far from the place is left out.
func snippet(src string, pos int) string {
	if pos > snippetContext {
		cut := pos - snippetContext
		for cut < pos && !asciiStart(src[cut]) {
			cut++
		}
		src, pos = "..."+src[cut:], pos-cut+3
	}
	if len(src) > pos+snippetContext {
		end := pos + snippetContext
		for end > pos && !asciiStart(src[end]) {
			end--
		}
		src = src[:end] + "..."
	}
	return syntax.Snippet(src, &syntax.Error{Pos: syntax.Pos(pos)})
}

// asciiStart reports whether a byte does not continue a character.
func asciiStart(c byte) bool { return c&0xc0 != 0x80 }

// Problems are several, of which each has its own place.
type Problems []*Problem

// Error returns the messages, one a line.
func (l Problems) Error() string {
	var lines []string
	for _, p := range l {
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (l Problems) Unwrap() []error {
	var errs []error
	for _, p := range l {
		errs = append(errs, p)
	}
	return errs
}
