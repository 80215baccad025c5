package syntax

import (
	"cmp"
	"strconv"
)

// An Error is a mistake in an expression. Msg may be empty: many mistakes have no text in the
// reference either.
type Error struct {
	Pos Pos
	Msg string
	// Extended says that the text was read in the extended language.
	Extended bool
}

// Error returns the column, counted in bytes from 1, and the message.
func (e *Error) Error() string {
	return strconv.Itoa(int(e.Pos)+1) + ": " + cmp.Or(e.Msg, "syntax error")
}
