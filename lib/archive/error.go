package archive

import "fmt"

// An Error is a problem with a file of an archive. Err wraps a pmerr.Code.
type Error struct {
	File   string
	Offset int64 // offset of the record, -1 for the file as a whole
	Err    error
}

// Error returns file, offset and cause.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
