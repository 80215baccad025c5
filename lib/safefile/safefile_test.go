package safefile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, n := range []int{0, 1, 511, 512, 513, 3 << 20} {
		want := bytes.Repeat([]byte{'x'}, n)
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func(string, int64) ([]byte, error){"Read": Read, "ReadStream": ReadStream} {
			if got, err := read(path, int64(n)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %d: %d bytes, %v", name, n, len(got), err)
			}
			if n == 0 {
				continue
			}
			if _, err := read(path, int64(n)-1); !errors.Is(err, pmerr.TooBig) {
				t.Errorf("%s of one byte less than %d: %v", name, n, err)
			}
		}
	}
	if _, err := Read(filepath.Join(dir, "none"), 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Read(dir, 10); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory: %v", err)
	}
}

// TestReadSparse reads a file that says that it is much longer than the limit.
func TestReadSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	for name, read := range map[string]func(string, int64) ([]byte, error){"Read": Read, "ReadStream": ReadStream} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(path, 64<<20)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, pmerr.TooBig) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error with the name of the file", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s takes %d bytes for a file that it refuses", name, used)
		}
	}
}
