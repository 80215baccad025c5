package cli

import (
	"errors"
	"syscall"

	"pmtools/lib/pmerr"
)

// Lost is the error of a write to standard output. Commands return it; Run decides its meaning.
type Lost struct{ Err error }

// Error implements error.
func (l *Lost) Error() string { return "cannot write output: " + pmerr.Of(l.Err).Error() }

// Unwrap returns the error of the stream.
func (l *Lost) Unwrap() error { return l.Err }

// IsLost reports whether an error is that of a write to standard output.
func IsLost(err error) bool {
	_, ok := errors.AsType[*Lost](err)
	return ok
}

// An output is standard output below its buffer. Its errors are Lost.
type output struct{ *stream }

func (o *output) Write(p []byte) (int, error) {
	n, err := o.stream.Write(p)
	if err != nil {
		err = &Lost{err}
	}
	return n, err
}

// Flush writes buffered output. A failed write of compatible output is ignored, as in the
// reference, unless its reader is gone.
func (env *Env) Flush() error {
	err := env.Out.Flush()
	if !env.OwnForm && !errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (env *Env) finish(status int) int {
	err := env.Flush()
	if err == nil || !env.OwnForm {
		return status
	}
	env.Errorf("%v", err)
	return max(status, 1)
}
