package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestMain removes what commands built.
func TestMain(m *testing.M) {
	scratch, err := os.MkdirTemp("", "pmtools")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = sync.OnceValues(func() (string, error) {
		cmd := exec.Command("go", "build", "-ldflags=-w", "-o", scratch, "pmtools/cmd/...", "pmtools/test/agents/...")
		cmd.Env = asMade()
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

// asMade is the environment in which make builds, however the tests themselves are built.
func asMade() []string { return append(os.Environ(), "CGO_ENABLED=0") }

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
