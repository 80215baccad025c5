//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pmtools/cmd/internal/clitest"
)

// cramp runs the test once more in a process whose files grow to a size only: writing more fails
// as on a full disk, after a part. It reports whether this is that process.
func cramp(t *testing.T, size uint64) bool {
	t.Helper()
	const mark = "PMDERIVE_TEST_CRAMPED"
	if os.Getenv(mark) == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), mark+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return false
	}
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}); err != nil {
		t.Skipf("the size of files cannot be limited here: %v", err)
	}
	return true
}

// TestSaveFull saves where there is no room: a new file is not there afterwards, an old one as it
// was, and the session says so.
func TestSaveFull(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("a.b = hinv.ncpu\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if !cramp(t, 20) {
		return
	}
	items := "x.y = 1 + 2 + 3 + 4 + 5 + 6 + 7\n:save " + filepath.Join(dir, "new") + "\n:save! " + filepath.Join(dir, "new") + "\n:save! " + old + "\n"
	got := clitest.RunWith("pmderive", newCommand, items, []string{"-L"}, nil)
	if n := strings.Count(got.Stderr, "file too large"); n != 3 || got.Status != 1 {
		t.Errorf("status %d, %q", got.Status, got.Stderr)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "a.b = hinv.ncpu\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestOutputUnread writes values to a pipe that no process reads: they are not lost with status 0.
func TestOutputUnread(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-L", "eval", "hinv.ncpu", "--output-file", pipe}, nil)
	if got.Status != 1 || !strings.Contains(got.Stderr, "no process reads the pipe") {
		t.Errorf("status %d, %q", got.Status, got.Stderr)
	}
}
