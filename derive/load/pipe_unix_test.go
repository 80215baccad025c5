//go:build unix

package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/lib/pmerr"
)

// TestNamed: a pipe is read if a user has named it, and passed over otherwise; a device without an end
// is too large.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Skip("no pipes here: ", err)
	}
	reg := derive.NewRegistry(func(string) {})
	for _, read := range []func(*derive.Registry, ...string) (int, error){load.Config, func(reg *derive.Registry, _ ...string) (int, error) { return load.Named(reg, dir) }} {
		if n, err := read(reg, pipe); n != 0 || err != nil {
			t.Errorf("%d metrics of a pipe, %v", n, err)
		}
	}
	go func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("a.b = 1\n")
			_ = f.Close()
		}
	}()
	if n, err := load.Named(reg, pipe); n != 1 || err != nil {
		t.Errorf("%d metrics, %v", n, err)
	}
	if _, err := load.Named(reg, "/dev/zero"); !errors.Is(err, pmerr.TooBig) {
		t.Errorf("a device: %v", err)
	}
}
