package trace

import (
	"errors"
	"fmt"

	"pmtools/lib/pmerr"
)

// A Code is an error of the trace library, with the reference's number. errors.Is finds it in the errors of a Client's methods.
type Code int32

// The errors.
const (
	TagName    Code = -12000 - iota // the tag is empty, or has a NUL in it
	InProgress                      // of the reference only: here a tag may have several transactions at a time
	NoProgress                      // the transaction was ended or aborted before
	NoSuchTag                       // of the reference only
	TagType                         // of the reference only
	TagLength                       // the tag is longer than MaxTag
	IPC                             // the other side does not keep to the protocol, or has hung up
	EnvFormat                       // a variable of the environment, see OptionsFromEnv
	Timeout                         // no connection, or no acknowledgement in time
	Version                         // the agent has another version of the protocol
	Permission                      // the agent does not serve this host
	ConnLimit                       // the agent serves no more connections of this host
)

// Error returns the text that the reference has for the error.
func (c Code) Error() string {
	texts := [...]string{
		"Invalid tag name - tag names cannot be NULL",
		"Transaction is already in progress - cannot begin",
		"Transaction is not currently in progress - cannot end",
		"Transaction tag was not successfully initialised",
		"Tag is already in use for a different type of tracing",
		"Tag name is too long (maximum 256 characters)",
		"IPC protocol failure",
		"Unrecognised environment variable format",
		"Application timed out connecting to the PMDA",
		"Incompatible versions between application and PMDA",
		"Cannot connect to PMDA - permission denied",
		"Cannot connect to PMDA - connection limit reached",
	}
	switch i := int(TagName - c); {
	case i >= 0 && i < len(texts):
		return texts[i]
	case i < 0 && c < 0:
		return pmerr.Code(c).Error() // of the system
	}
	return "Unknown error code."
}

// Errors without a Code.
var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("trace: the client is closed")
	// ErrOverflow is returned in asynchronous mode if the agent takes reports more slowly than the
	// program makes them. The report is lost.
	ErrOverflow = errors.New("trace: too many reports wait for the agent")
)

// An Error adds the failed operation to a cause.
type Error struct {
	Op   string // "connect", "point", "transaction", "observation", "counter"
	Addr string // of the agent; "" if it has no part in this
	Tag  string // "" for none
	Err  error
}

// Error implements error.
func (e *Error) Error() string {
	text := "trace: " + e.Op
	if e.Tag != "" {
		tag := e.Tag
		if len(tag) > 40 {
			tag = tag[:40] + "..."
		}
		text += fmt.Sprintf(" %q", tag)
	}
	if e.Addr != "" {
		text += " to " + e.Addr
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
