//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenKinds opens pipes and devices. Nothing may wait.
func TestOpenKinds(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero", "/dev/null"} {
		if f, _, err := Open(path); !errors.Is(err, ErrKind) {
			t.Errorf("%s: got %v", path, err)
			f.Close()
		}
	}
}

// TestReadStream reads what a pipe holds.
func TestReadStream(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString("hello")
		w.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if got, err := ReadStream(path, 10); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
}
