package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/safefile/safefiletest"
	_ "pmtools/test/env"
)

// TestCreatePower: after Close a loss of power takes nothing of the output.
func TestCreatePower(t *testing.T) {
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		w, err := FS{}.Create(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, err = io.WriteString(w, "0123456789\n")
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		mark("closed")
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 20, func(dir string, marks []string) error {
		if text, err := os.ReadFile(filepath.Join(dir, "out")); marks != nil && len(text) != 33 {
			return fmt.Errorf("%q, %v", text, err)
		}
		return nil
	})
}

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
