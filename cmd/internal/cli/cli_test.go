package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"pmtools/lib/config"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// A world is the environment of a test: variables, and files that Open finds.
type world struct {
	vars  map[string]string
	files map[string]string
}

// env returns an environment of w.
func (w world) env(stdout, stderr io.Writer, args ...string) *Env {
	return &Env{
		Prog: args[0], Args: args[1:], Stdout: stdout, Stderr: stderr,
		LookupEnv: func(name string) (string, bool) { value, ok := w.vars[name]; return value, ok },
		Open: func(name string) (io.ReadCloser, error) {
			text, ok := w.files[name]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
	}
}

// TestRunStatus: exit status and messages for what Run returns.
func TestRunStatus(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
		stderr string
	}{
		{"nil", nil, 0, ""},
		{"exit", Exit(3), 3, ""},
		{"wrapped exit", fmt.Errorf("x: %w", Exit(2)), 2, ""},
		{"error", errors.New("something"), 1, "prog: something\n"},
		{"configuration", &config.Error{File: "/c", Err: pmerr.ENOENT}, 1, "FATAL PCP ERROR: could not open config file \"/c\" : " +
			"No such file or directory\nYou may need to set PCP_CONF or PCP_DIR in your environment.\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			status := Run(t.Context(), world{}.env(&stdout, &stderr, "prog"), func(env *Env) Func {
				return func(context.Context) error { return test.err }
			})
			if status != test.status || stderr.String() != test.stderr || stdout.Len() != 0 {
				t.Errorf("status %d, want %d\nstderr %q\nwant   %q", status, test.status, stderr.String(), test.stderr)
			}
		})
	}
}

// TestStreams: output is buffered, and comes before later messages.
func TestStreams(t *testing.T) {
	var both strings.Builder
	status := Run(t.Context(), world{}.env(&both, &both, "prog", "-x", "y"), func(env *Env) Func {
		return func(context.Context) error {
			fmt.Fprintf(env.Out, "args %q\n", env.Args)
			env.Messages.Print("queued\n")
			env.Errorf("at %s", "once")
			env.Out.WriteString("more\n")
			return nil
		}
	})
	want := "args [\"-x\" \"y\"]\nprog: at once\nmore\nqueued\n"
	if status != 0 || both.String() != want {
		t.Errorf("status %d, %q, want %q", status, both.String(), want)
	}
}
