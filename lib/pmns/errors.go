package pmns

import "pmtools/lib/pmerr"

// An Error is why a name space file could not be loaded. It matches pmerr.PMNS,
// or what kept the file from being read.
type Error struct {
	File string
	// Preprocessor is what the preprocessor has to say; it belongs on standard
	// error. It is empty, or lines with their newlines.
	Preprocessor string
	// Message is the text for the message channel in the words of the reference
	// (values.md V18.3): lines with their newlines.
	Message string
	err     error
}

// Error returns the name of the file and the error without its details.
func (e *Error) Error() string {
	return e.File + ": " + e.err.Error()
}

// Unwrap returns pmerr.PMNS, or the error of reading the file.
func (e *Error) Unwrap() error { return e.err }

// prefix begins each message.
const prefix = "Error Parsing ASCII PMNS: "

// newError returns the error with the given text, which gets the usual prefix.
func newError(file, text string) *Error {
	return &Error{File: file, Message: prefix + text + "\n", err: pmerr.PMNS}
}
