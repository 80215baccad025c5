package cli

import (
	"errors"

	"pmtools/lib/pmerr"
)

// Lost is the error of a write to standard output. Commands hand it on; Run decides what it means.
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

// An output is standard output below its buffer, which remembers the first error. Text of ours for
// a terminal goes through the filter.
type output struct {
	env      *Env
	terminal bool
	text     safeText
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (n int, err error) {
	if o.terminal && o.env.OwnForm {
		n = len(p)
		_, err = o.env.Stdout.Write(o.text.filter(p))
	} else {
		n, err = o.env.Stdout.Write(p)
	}
	if err != nil {
		err = &Lost{err}
	}
	return n, err
}

// Flush writes what is buffered. Where output is compatible, to lose it is no error.
func (env *Env) Flush() error {
	err := env.Out.Flush()
	if !env.OwnForm {
		return nil
	}
	return err
}

// finish writes what is buffered and returns the exit status, given that of the command.
func (env *Env) finish(status int) int {
	err := env.Flush()
	if err == nil {
		return status
	}
	env.Errorf("%v", err)
	return max(status, 1)
}
