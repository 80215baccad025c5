package when

import (
	"fmt"

	"pmtools/internal/ctext"
)

// The reasons that a specification is refused for.
const (
	reasonUnexpected = "unexpected value"
	reasonMore       = "more information expected"
	reasonEmpty      = "Null or empty specification"
	reasonAlign      = "alignment specified by -A switch could not be applied"
)

// A SyntaxError describes a mistake in an interval or a time specification, and where. It is
// immutable.
type SyntaxError struct {
	Text   string // the offending text, without the sign or @ that selected its form
	Reason string // such as "unexpected value"
	before string // text before the error; may be longer than Text
}

// Error returns the message on one line, with the column counted from 1.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%q: column %d: %s", e.Text, len(e.before)+1, e.Reason)
}

// Misaligned reports whether the time is one, but -A has no such time near it.
func (e *SyntaxError) Misaligned() bool { return e.Reason == reasonAlign }

// Caret returns the message as the tools print it: the text, and below it the reason with a caret
// under the place. Both lines end with a newline.
func (e *SyntaxError) Caret() string {
	return e.Text + "\n" + ctext.Caret(e.before, e.Reason)
}

func unexpected(text string, pos int) *SyntaxError {
	return &SyntaxError{Text: text, Reason: reasonUnexpected, before: text[:pos]}
}

func skipSpace(s string, pos int) int {
	for pos < len(s) && ctext.IsSpace(s[pos]) {
		pos++
	}
	return pos
}
