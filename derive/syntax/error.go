package syntax

import "strconv"

// An Error is a mistake in an expression. Msg may be empty: many mistakes have no text in the
// reference either.
type Error struct {
	Pos Pos
	Msg string
}

// Error returns the column, counted in bytes from 1, and the message.
func (e *Error) Error() string {
	msg := e.Msg
	if msg == "" {
		msg = "syntax error"
	}
	return strconv.Itoa(int(e.Pos)+1) + ": " + msg
}
