package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// A full is a disk with room for left bytes.
type full struct{ left int }

// Write implements io.Writer.
func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	if f.left -= n; n < len(p) {
		return n, pmerr.Code(-28)
	}
	return n, nil
}

// TestLost: output that cannot be written is a failure if it is of a form of ours, said once.
func TestLost(t *testing.T) {
	const lost = "prog: cannot write output: No space left on device\n"
	for _, tt := range []struct {
		name   string
		own    bool
		left   int
		err    func(*Env) error
		status int
		stderr string
	}{
		{"compatible", false, 3, func(env *Env) error { return env.Flush() }, 0, ""},
		{"compatible, handed on", false, 3, func(env *Env) error { return env.Out.Flush() }, 0, ""},
		{"own", true, 3, func(*Env) error { return nil }, 1, lost},
		{"own, flushed", true, 3, func(env *Env) error { return env.Flush() }, 1, lost},
		{"own, with a status", true, 3, func(*Env) error { return Exit(7) }, 7, lost},
		{"own, with an error", true, 3, func(*Env) error { return errors.New("bad") }, 1, "prog: bad\n" + lost},
		{"own, with room", true, 9, func(env *Env) error { return env.Flush() }, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			status := Run(t.Context(), world{}.env(&full{tt.left}, &stderr, "prog"), func(env *Env) Func {
				return func(context.Context) error {
					env.OwnForm = tt.own
					env.Out.WriteString("12345")
					return tt.err(env)
				}
			})
			if status != tt.status || stderr.String() != tt.stderr {
				t.Errorf("status %d, %q, want %d, %q", status, stderr.String(), tt.status, tt.stderr)
			}
		})
	}
}
