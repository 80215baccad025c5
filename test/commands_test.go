package test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pmtools/test/env"
)

// TestMain removes what commands built.
func TestMain(m *testing.M) {
	scratch, err := os.MkdirTemp("", "pmtools")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = sync.OnceValues(func() (string, error) {
		cmd := env.Go("build", "-ldflags=-w", "-o", scratch, "pmtools/cmd/...", "pmtools/test/agents/...")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		return scratch, err
	})
	status := m.Run()
	os.RemoveAll(scratch)
	os.Exit(status)
}

// bin builds the commands and the agents of docs, once, and returns where they are.
var bin func() (dir string, err error)

// commands returns a directory with the commands, and the agents of docs.
func commands(t *testing.T) string {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// command returns the path of a command.
func command(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(commands(t), name)
}
