//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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

// TestOutputPipe writes a pipe, at first without a reader. Neither may wait.
func TestOutputPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	if f, err := Output(pipe); !errors.Is(err, ErrNoReader) {
		t.Errorf("without a reader: got %v", err)
		f.Close()
	}
	if err := Replace(pipe, []byte("x")); !errors.Is(err, ErrNoReader) {
		t.Errorf("a text without a reader: got %v", err)
	}
	r, err := os.OpenFile(pipe, os.O_RDONLY|noWait, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := Output(pipe)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1<<20) // a pipe holds less, so that writing waits for the reader
	go func() {
		f.WriteString(long)
		f.Close()
	}()
	if got, err := io.ReadAll(r); err != nil || string(got) != long {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
