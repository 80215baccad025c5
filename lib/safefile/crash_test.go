package safefile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/safefile"
	"pmtools/lib/safefile/safefiletest"
)

// text returns a text of a few blocks that begins with a name.
func text(name string, n int) []byte {
	return []byte(fmt.Sprint(name, " ", strings.Repeat("0123456789abcdef", n)))
}

// writers are what changes a file "d/x", which has the text "old" before if there is one, to "new", or removes it if new is nil.
var writers = []struct {
	name     string
	old, new []byte
	write    func(file string, text []byte) error
}{
	{"Create", nil, text("new", 100), safefile.Create},
	{"Replace nothing", nil, text("new", 100), safefile.Replace},
	{"Replace", text("old", 90), text("new", 100), safefile.Replace},
	{"Replace by nothing", text("old", 90), []byte{}, safefile.Replace},
	{"Install", text("old", 90), text("new", 100), safefile.Install},
	{"Keep", text("old", 90), text("new", 100), func(file string, text []byte) error { return safefile.Keep(file, text, 0o600) }},
	{"Remove", text("old", 90), nil, func(file string, _ []byte) error { return safefile.Remove(file) }},
	{"Forget", text("old", 90), nil, func(file string, _ []byte) error { return safefile.Forget([]string{file}) }},
	{"Move", text("old", 90), text("new", 100), func(file string, text []byte) error {
		from := filepath.Join(filepath.Dir(filepath.Dir(file)), "from")
		err := safefile.Keep(from, text, 0o600)
		if err == nil {
			err = safefile.Move([]safefile.Rename{{From: from, To: file}})
		}
		return errors.Join(err, safefile.Forget([]string{from})) // which may be there after an error
	}},
}

// prepared returns a directory with d, and d/x if there is an old text.
func prepared(t *testing.T, old []byte) string {
	t.Helper()
	dir := t.TempDir()
	err := os.Mkdir(filepath.Join(dir, "d"), 0o777)
	if err == nil && old != nil {
		err = os.WriteFile(filepath.Join(dir, "d", "x"), old, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// content returns the content of d/x, nil if it is not there.
func content(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "d", "x"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return b
}

// TestCrash: after a loss of power there is the old text or the new one, and the new one if the writer has returned.
func TestCrash(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			dir := prepared(t, w.old)
			tr, err := safefiletest.Record(dir, func(mark func(string)) {
				if err := w.write(filepath.Join(dir, "d", "x"), w.new); err != nil {
					t.Fatal(err)
				}
				mark("written")
			})
			if err != nil {
				t.Fatal(err)
			}
			tr.Images(t, 100, func(dir string, marks []string) error {
				switch got := content(t, dir); {
				case same(got, w.new) || same(got, w.old) && marks == nil:
					return nil
				default:
					return fmt.Errorf("there are %d bytes, %.20q", len(got), got)
				}
			})
		})
	}
}

func same(a, b []byte) bool { return slices.Equal(a, b) && (a == nil) == (b == nil) }

// TestFaults: after an error there is the old text or the new one, and after none the new one; there is no temporary file, and the next try works.
func TestFaults(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			for f := range safefiletest.Faults(t, 1) {
				dir := prepared(t, w.old)
				file := filepath.Join(dir, "d", "x")
				var err error
				f.During(func() { err = w.write(file, w.new) })
				got := content(t, dir)
				if !same(got, w.new) && !(err != nil && same(got, w.old)) {
					t.Errorf("%v: %v; there are %d bytes, %.20q", f, err, len(got), got)
				}
				if left := others(t, dir); left != nil && !f.Forever {
					t.Errorf("%v: %v; %q are left", f, err, left)
				}
				if w.name == "Create" && err != nil && got != nil {
					t.Errorf("%v: %v, and the file is there", f, err)
				}
				if err != nil && !same(got, w.new) {
					if err := w.write(file, w.new); err != nil || !same(content(t, dir), w.new) {
						t.Errorf("%v: the next try: %v", f, err)
					}
				}
			}
		})
	}
}

func others(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != filepath.Join(dir, "d", "x") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAppend: a crash leaves the lines of before, and of a text none, a part or all.
func TestAppend(t *testing.T) {
	dir := prepared(t, []byte("old\n"))
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		for range 3 {
			if err := safefile.Append(filepath.Join(dir, "d", "x"), []byte("new\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 100, func(dir string, _ []string) error {
		if got := string(content(t, dir)); !strings.HasPrefix(got, "old\n") || len(got) > len("old\nnew\nnew\nnew\n") {
			return fmt.Errorf("there is %q", got)
		}
		return nil
	})
}
