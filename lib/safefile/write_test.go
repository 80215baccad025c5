package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// holds fails unless a file has the text, and its directory no other entries than those.
func holds(t *testing.T, name, want string, entries int) {
	t.Helper()
	if text, err := os.ReadFile(name); err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != entries {
		t.Errorf("%v, %v, want %d entries", list, err, entries)
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new")
	if err := Create(name, []byte("one")); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "one", 1)
	if err := Create(name, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file is overwritten: %v", err)
	}
	holds(t, name, "one", 1)
	if err := Create(filepath.Join(dir, "no", "where"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// TestReplaceLink writes through a link, which stays one.
func TestReplaceLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Replace(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, file, "new", 2)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestInstall replaces a file, and a link instead of the file to which it points.
func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "derived")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "a")
	for _, text := range []string{"one", "three"} {
		if err := Install(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, name, text, 1)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	above := filepath.Dir(dir)
	if list, err := os.ReadDir(above); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	stock := filepath.Join(above, "stock")
	if err := os.WriteFile(stock, []byte("stock"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(stock, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Install(link, []byte("own")); err != nil {
		t.Fatal(err)
	}
	holds(t, link, "own", 2)
	holds(t, stock, "stock", 2)
}

func TestRemove(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Remove(name); err != nil {
		t.Error(err)
	}
	if err := Remove(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is removed twice: %v", err)
	}
}

// TestOverwrite writes a file in its place, to a shorter text too.
func TestOverwrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("a longer text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := overwrite(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, name, "new", 1)
}
