package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

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

// MaxErrors is how many errors an [ErrorList] keeps.
const MaxErrors = 10

// An ErrorList collects errors of one text. The zero value is an empty list.
type ErrorList struct {
	list []*Error
	more int
}

// Add adds an error unless there is one at its place already. When the list is full the error is
// only counted.
func (l *ErrorList) Add(pos Pos, msg string) {
	i, found := slices.BinarySearchFunc(l.list, pos, func(e *Error, pos Pos) int { return cmp.Compare(e.Pos, pos) })
	switch {
	case found:
	case len(l.list) >= MaxErrors:
		l.more++
	default:
		l.list = slices.Insert(l.list, i, &Error{Pos: pos, Msg: msg})
	}
}

// Errors returns the errors by position. The slice must not be changed.
func (l *ErrorList) Errors() []*Error { return l.list }

// Err returns the list as an error, or nil if it is empty.
func (l *ErrorList) Err() error {
	if len(l.list) == 0 {
		return nil
	}
	return l
}

// Error returns the first error and the number of the others.
func (l *ErrorList) Error() string {
	switch n := len(l.list) + l.more; n {
	case 0:
		return "no errors"
	case 1:
		return l.list[0].Error()
	default:
		return fmt.Sprintf("%s (and %d more)", l.list[0].Error(), n-1)
	}
}

// Unwrap returns the errors of the list to errors.As.
func (l *ErrorList) Unwrap() []error {
	errs := make([]error, len(l.list))
	for i, e := range l.list {
		errs[i] = e
	}
	return errs
}
