// Package pmerr defines the numbered error codes of the Performance Co-Pilot, with their names and
// texts, and finds the code of any Go error.
//
// A [Code] is an error: errors.Is(err, pmerr.PMID) finds it in a wrapped error, and [Of] returns
// the code of any error.
package pmerr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"
	"syscall"
)

// A Code is a PMAPI status: zero for success, otherwise negative: an error number of the system (-1
// to -12344), a code of the PMAPI, or below -21344 one of the authentication or TLS library.
type Code int32

// ENOENT and EINVAL are the two system error numbers that the PMAPI itself uses: a missing object,
// and an invalid argument.
const (
	ENOENT Code = -2
	EINVAL Code = -22

	eperm  Code = -1
	eacces Code = -13
)

type entry struct {
	code Code
	name string
	text string
}

// Error returns the text of c as pmErrStr gives it.
func (c Code) Error() string {
	switch {
	case c == 0:
		return "No error"
	case c < NYI:
		return authText(c)
	case c < 0 && c > Generic:
		return errnoText(int(-c))
	}
	for _, e := range table {
		if e.code == c {
			return e.text
		}
	}
	return fmt.Sprintf("No such PMAPI error code (%d)", int32(c))
}

// Err returns c as an error, nil for 0. It does not allocate for the codes of the PMAPI.
func (c Code) Err() error {
	if c == 0 {
		return nil
	}
	boxed.Do(func() {
		boxed.errs = make(map[Code]error, len(table))
		for _, e := range table {
			boxed.errs[e.code] = e.code
		}
	})
	if err, ok := boxed.errs[c]; ok {
		return err
	}
	return c
}

// boxed has the codes as errors from the first call of Err on.
var boxed struct {
	sync.Once
	errs map[Code]error
}

// Name returns the symbolic name of c ("PM_ERR_PMID"), or "" if it has none.
func (c Code) Name() string {
	for _, e := range table {
		if e.code == c {
			return e.name
		}
	}
	return ""
}

// Is reports whether target is a portable error with the meaning of c, so that errors.Is works with
// fs.ErrNotExist, fs.ErrPermission and os.ErrDeadlineExceeded.
func (c Code) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return c == ENOENT || c == Name || c == PMID || c == PMIDLog
	case fs.ErrPermission:
		return c == Permission || c == eacces || c == eperm
	case os.ErrDeadlineExceeded:
		return c == Timeout
	}
	return false
}

// All yields every code of the PMAPI in the order of the reference's list.
func All() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for _, e := range table {
			if !yield(e.code) {
				return
			}
		}
	}
}

// Message returns the text that the commands of PCP print for err: the text of its code, or its own
// text if it has no code.
func Message(err error) string {
	if c := Of(err); c != Generic {
		return c.Error()
	}
	return err.Error()
}

// Of returns the code that stands for err: 0 for nil, the first Code in its chain, the negated
// number of a system error, and Generic for anything else.
func Of(err error) Code {
	if err == nil {
		return 0
	}
	if c, ok := err.(Code); ok { // without allocating
		return c
	}
	var c Code
	var errno syscall.Errno
	switch {
	case errors.As(err, &c):
		return c
	case errors.Is(err, fs.ErrNotExist):
		return ENOENT
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Timeout
	case errors.As(err, &errno):
		return ofErrno(errno)
	}
	return Generic
}

func authText(c Code) string {
	n := int(NYI) - int(c)
	if n > 1000 {
		return fmt.Sprintf("Unknown secure sockets error %d (%d)", int32(c), -n)
	}
	if n == saslConfig {
		return "Authentication - error when parsing configuration file"
	}
	if n < len(saslTexts) && saslTexts[n] != "" {
		return "Authentication - " + saslTexts[n]
	}
	return "Authentication - undefined error!"
}

func errnoText(n int) string {
	if n < len(errnoTexts) && errnoTexts[n] != "" {
		return errnoTexts[n]
	}
	return fmt.Sprintf("Unknown error %d", n)
}
