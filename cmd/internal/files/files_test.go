package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new")
	if err := (FS{}).WriteFile(name, []byte("one"), false); err != nil {
		t.Fatal(err)
	}
	if err := (FS{}).WriteFile(name, []byte("two"), false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file is overwritten: %v", err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := (FS{}).WriteFile(name, []byte("three"), true); err != nil {
		t.Fatal(err)
	}
	text, err := FS{}.ReadFile(name)
	if err != nil || string(text) != "three" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := (FS{}).WriteFile(filepath.Join(dir, "other"), []byte("x"), true); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := (FS{}).WriteFile(filepath.Join(dir, "no", "where"), nil, true); err == nil {
		t.Error("a directory that is not there")
	}
	if _, err := (FS{}).ReadFile(dir); err == nil {
		t.Error("a directory is read")
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
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "other", ".hidden", "sub/x", "sub/y"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, tt := range []struct{ prefix, want string }{
		{"", "one|other|sub/"}, {"o", "one|other"}, {"sub", "sub/"}, {"sub/", "sub/x|sub/y"}, {"sub/x", "sub/x"}, {".h", ".hidden"}, {"no", ""}, {"no/", ""},
	} {
		got := FS{}.Glob(tt.prefix)
		slices.Sort(got)
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%q: %q", tt.prefix, got)
		}
	}
}
