package pmda

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/safefile/safefiletest"
)

// TestCacheCrash: a loss of power leaves the numbers that were saved last, or those that were being saved.
func TestCacheCrash(t *testing.T) {
	dir := t.TempDir()
	var names []string
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		var c Cache
		for i := range 4 {
			names = append(names, fmt.Sprint("instance", i))
			c.Restore(pcp.Instance{ID: int32(i), Name: names[i]})
			if err := c.Save(filepath.Join(dir, "cache")); err != nil {
				t.Fatal(err)
			}
			mark("saved")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 30, func(dir string, marks []string) error {
		var c Cache
		if err := c.Load(filepath.Join(dir, "cache")); err != nil && len(marks) > 0 {
			return err
		}
		var got []string
		for _, in := range c.All() {
			got = append(got, in.Name)
		}
		if n := len(got); n < len(marks) || n > len(marks)+1 || !slices.Equal(got, names[:n]) {
			return fmt.Errorf("the instances are %q", got)
		}
		return nil
	})
}

// TestCacheFaults: after an error there are the old numbers or the new ones, and the next Save works.
func TestCacheFaults(t *testing.T) {
	for f := range safefiletest.Faults(t, 1) {
		file := filepath.Join(t.TempDir(), "cache")
		var c Cache
		c.Restore(pcp.Instance{ID: 1, Name: "old"})
		safefiletest.Quiet(func() { c.Save(file) })
		c.Restore(pcp.Instance{ID: 2, Name: "new"})
		var err error
		f.During(func() { err = c.Save(file) })
		var saved Cache
		if bad := saved.Load(file); bad != nil || len(saved.All()) != 2 && !(err != nil && len(saved.All()) == 1) {
			t.Errorf("%v: %v; %v, %v", f, err, saved.All(), bad)
		}
		if err = c.Save(file); err != nil || saved.Load(file) != nil || len(saved.All()) != 2 {
			t.Errorf("%v: the next time: %v, %v", f, err, saved.All())
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); left != nil && !f.Forever {
			t.Errorf("%v: %q are left", f, left)
		}
	}
}
