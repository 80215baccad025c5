package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMove moves files into directories that are made, twice: the second time nothing is left to do.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	var list []Rename
	for _, name := range []string{"a", "x/y/b", "x/c"} {
		from := filepath.Join(dir, filepath.Base(name)+".tmp")
		if err := os.WriteFile(from, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, Rename{from, filepath.Join(dir, name)})
	}
	for range 2 {
		if err := Move(list); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, filepath.Join(dir, "a"), "a", 2)
	holds(t, filepath.Join(dir, "x/y/b"), "x/y/b", 1)
	holds(t, filepath.Join(dir, "x/c"), "x/c", 2)
	if err := Move([]Rename{{list[0].To, filepath.Join(dir, "x/c/d")}}); err == nil {
		t.Error("a file in a file")
	}
	if err := Forget([]string{list[0].To, list[0].To, filepath.Join(dir, "none")}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(list[0].To); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestTidy removes the temporary files of Replace, and no others.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", ".a", ".a123", "a123"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Tidy(dir); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "a"), "", 3)
}

// TestLock: a directory has one lock, which ends with its file.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	f, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); Locks && !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	f.Close()
	if f, err = Lock(dir); err != nil {
		t.Error(err)
	}
	f.Close()
}
