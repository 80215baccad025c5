package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pmerr"
)

// TestDirectories opens archives of a directory that changes between the opens.
func TestDirectories(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	age := func(t *testing.T, dir string, at time.Time) {
		t.Helper()
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"nothing", func(*testing.T, string) {}, "a a.meta  0:a.0"},
		// The time of the directory does not tell: the list is that of the first open.
		{"in secret", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "a.meta")))
			age(t, dir, old)
		}, "a a.meta  0:a.0"},
		{"a volume", func(t *testing.T, dir string) { must(t, os.WriteFile(filepath.Join(dir, "a.1.xz"), nil, 0o666)) }, "a a.meta  0:a.0 1:a.1.xz"},
		{"no metadata", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "a.meta"))) }, "PM_ERR -12375"},
		{"no files", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "a.meta")))
			must(t, os.Remove(filepath.Join(dir, "a.0")))
		}, "PM_ERR -2"},
		{"no directory", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) }, "PM_ERR -2"},
		{"another directory", func(t *testing.T, dir string) {
			must(t, os.Rename(dir, dir+".old"))
			must(t, os.Mkdir(dir, 0o777))
			must(t, os.WriteFile(filepath.Join(dir, "a.7"), nil, 0o666))
			must(t, os.WriteFile(filepath.Join(dir, "a.meta.gz"), nil, 0o666))
			age(t, dir, old)
		}, "a a.meta.gz  7:a.7"},
	} {
		for _, fresh := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "d")
			must(t, os.Mkdir(dir, 0o777))
			must(t, os.WriteFile(filepath.Join(dir, "a.0"), nil, 0o666))
			must(t, os.WriteFile(filepath.Join(dir, "a.meta"), nil, 0o666))
			if !fresh {
				age(t, dir, old)
			}
			shared, want := new(Directories), tt.want
			if fresh && tt.name == "in secret" { // a directory that has just changed is listed again
				want = "PM_ERR -12375"
			}
			find := func() string {
				f, err := newLister(&Options{Directories: shared}).findFiles(filepath.Join(dir, "a"))
				if err != nil {
					return fmt.Sprintf("PM_ERR %d", pmerr.Of(err))
				}
				return describe(f, dir)
			}
			if got := find(); got != "a a.meta  0:a.0" {
				t.Fatalf("%s: at first %s", tt.name, got)
			}
			tt.change(t, dir)
			if got := find(); got != want {
				t.Errorf("%s, fresh %v: got %s, want %s", tt.name, fresh, got, want)
			}
		}
	}
}

// TestDirectoriesMany: there is a bound on what is kept.
func TestDirectoriesMany(t *testing.T) {
	root, shared := t.TempDir(), new(Directories)
	for i := range 3 * maxDirectories {
		dir := filepath.Join(root, strings.Repeat("d", i+1))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := newLister(&Options{Directories: shared}).findFiles(filepath.Join(dir, "a")); pmerr.Of(err) != pmerr.ENOENT {
			t.Fatal(err)
		}
	}
	if n := len(shared.known); n == 0 || n > maxDirectories {
		t.Errorf("%d directories are kept", n)
	}
}
