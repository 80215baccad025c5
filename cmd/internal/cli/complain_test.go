package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// TestComplain: a late complaint stands among the messages as it is, before the
// usage text, and the command does not go on.
func TestComplain(t *testing.T) {
	var out, errs bytes.Buffer
	env := &Env{Prog: "pmval", Args: []string{"-S", "1", "m"}, Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false }}
	var got error
	status := Run(context.Background(), env, func(env *Env) *Command {
		c := New(env, "pmval", "metric")
		c.LateChecks = true
		c.Shared("start", "archive")
		c.Run = func(context.Context, []string) error {
			c.Complain("first\n")
			got = c.CheckSource(func() { c.Complain("last\n") })
			return got
		}
		return c
	})
	want := "first\npmval: time window options are supported for archives only\nlast\nUsage: pmval metric\n"
	if !strings.HasPrefix(errs.String(), want) || status != 1 || !errors.Is(got, Exit(1)) {
		t.Errorf("got %q, %d, %v", &errs, status, got)
	}
}
