package export

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/safefile/safefiletest"
)

// A crashed is a directory with the tables of an archive, into which others come in two steps: another archive, and that again with
// other arguments, which replaces its files.
type crashed struct {
	dir  string
	list []string // the archives
	want []string // the values after each step
}

func newCrashed(t *testing.T) *crashed {
	c := &crashed{dir: t.TempDir(), list: []string{small(t, "a", "", 1, 1700000000, 1, 2, 3), small(t, "b", "", 2, 1700003000, 4, 5, 6)}}
	first := recorded(t, c.list[0])
	all := append(slices.Clone(first), recorded(t, c.list[1])...)
	slices.Sort(all)
	c.want = []string{fmt.Sprint(first), fmt.Sprint(all), fmt.Sprint(all)}
	if err := writeTo(t, c.dir, c.list[0]); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *crashed) step(t *testing.T, dir string, n int) error {
	return writeTo(t, dir, c.list[1], func(cfg *Config) {
		if n == 1 {
			cfg.Metrics = []string{"a"}
		}
	})
}

// check exports the first archive again, which finishes what was interrupted, and finds the values after n steps, or n+1, each of them once.
func (c *crashed) check(t *testing.T, dir string, n int) (err error) {
	if safefiletest.Quiet(func() { err = writeTo(t, dir, c.list[0]) }); err != nil {
		return fmt.Errorf("the next export: %w", err)
	}
	got := fmt.Sprint(exported(t, filesOf(dir, "values")))
	if want := c.want[n:min(n+2, 3)]; !slices.Contains(want, got) {
		return fmt.Errorf("there is %s, want one of %q", got, want)
	}
	return nil
}

// TestExportPower: after a loss of power at any time the tables hold each value of the exports that have ended, once, and all of the interrupted
// one or none.
func TestExportPower(t *testing.T) {
	c := newCrashed(t)
	tr, err := safefiletest.Record(c.dir, func(mark func(string)) {
		for n := range 2 {
			if err := c.step(t, c.dir, n); err != nil {
				t.Fatal(err)
			}
			mark("export")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 6, func(dir string, marks []string) error { return c.check(t, dir, len(marks)) })
}

// TestFaults: calls of the file system fail. An export that has ended without an error is there, one with an error not at all or whole
// after the next, and nothing else is left.
func TestFaults(t *testing.T) {
	c := newCrashed(t)
	for f := range safefiletest.Faults(t, 5) {
		dir, done := t.TempDir(), 0
		if err := os.CopyFS(dir, os.DirFS(c.dir)); err != nil {
			t.Fatal(err)
		}
		f.During(func() {
			for done < 2 && c.step(t, dir, done) == nil {
				done++
			}
		})
		if err := c.check(t, dir, done); err != nil {
			t.Fatalf("%v: after %d exports: %v", f, done, err)
		}
		for _, name := range tree(t, dir) {
			if base := filepath.Base(name); filepath.Ext(base) != ".parquet" && base != manifestFile && base != "lock" { // which Windows has
				t.Errorf("%v: %s is left", f, name)
			}
		}
	}
}

// TestMended: an archive that could not be read to its end is incomplete until the rest of it has been read.
func TestMended(t *testing.T) {
	dir, base := t.TempDir(), small(t, "a", "", 1, 1700000000, 1, 2, 3)
	whole, err := os.ReadFile(base + ".0")
	if err != nil {
		t.Fatal(err)
	}
	for _, incomplete := range []bool{true, false} {
		text := whole
		if incomplete {
			text = slices.Concat(whole[:len(whole)-60], bytes.Repeat([]byte{0xff}, 60))
		}
		if err := os.WriteFile(base+".0", text, 0o666); err != nil {
			t.Fatal(err)
		}
		err := writeTo(t, dir, base)
		manifest, bad := os.ReadFile(manifestOf(dir, "h"))
		if bad != nil || strings.Contains(string(manifest), `"incomplete"`) != incomplete {
			t.Errorf("incomplete is %v: %v, %v\n%s", incomplete, err, bad, manifest)
		}
	}
	if !slices.Equal(exported(t, filesOf(dir, "values")), recorded(t, base)) {
		t.Error("not the values of the archive")
	}
}
