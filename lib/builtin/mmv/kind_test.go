//go:build unix

package mmv

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes looks at a directory with pipes, links to pipes, and a file in whose place a pipe
// comes. Nothing may wait.
func TestPipes(t *testing.T) {
	w := newWorld(t)
	pipe, dir := filepath.Join(t.TempDir(), "pipe"), w.collector.opts.Dir
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	w.put("acme", w.build(nil))
	for _, name := range []string{"pipe", "zero"} {
		target := pipe
		if name == "zero" {
			target = "/dev/zero"
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.names(); got != demoNames {
		t.Errorf("got %s", got)
	}
	path := filepath.Join(dir, "acme")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, path); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != "" {
		t.Errorf("got %s", got)
	}
}
