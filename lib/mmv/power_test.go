package mmv_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/safefile/safefiletest"
)

// TestPower: a file of memory may be lost or damaged with it. Readers bear what a loss of power leaves, and the next registry replaces it.
func TestPower(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files are put aside here, not replaced")
	}
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(func(string)) {
		r, err := mmv.Create("acme", mmv.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			mmv.Gauge[int64](r, name, mmv.Help("help")).Set(1)
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 40, func(dir string, _ []string) error {
		path := filepath.Join(dir, "acme")
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(text) > 24 { // the generation is set in memory, and so may be on the disk
			for _, at := range []int{8, 16} {
				binary.NativeEndian.PutUint64(text[at:], 7)
			}
			if err := os.WriteFile(path, text, 0o666); err != nil {
				return err
			}
		}
		if m, err := mmv.OpenFile(path, 1<<20); err == nil {
			for i := range m.Values {
				_, _ = m.Value(text, &m.Values[i], time.Now())
			}
			m.Close()
		}
		r, err := mmv.Create("acme", mmv.Options{Dir: dir})
		if err != nil {
			return err
		}
		mmv.Gauge[int64](r, "c").Set(3)
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return err
		}
		_, values := read(t, path)
		if len(values) != 1 {
			return errors.New("the next registry's file is not whole")
		}
		return nil
	})
}

// TestFaults: calls of the file system fail. The registry reports that, its file is whole, and the next registry works.
func TestFaults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files are put aside here, not replaced")
	}
	for f := range safefiletest.Faults(t, 1) {
		dir := t.TempDir()
		var err error
		f.During(func() {
			var r *mmv.Registry
			if r, err = mmv.Create("acme", mmv.Options{Dir: dir}); err != nil {
				return
			}
			mmv.Gauge[int64](r, "a").Set(1)
			mmv.Gauge[int64](r, "b").Set(2)
			err = errors.Join(r.Err(), r.Close())
		})
		if err == nil {
			if _, values := read(t, filepath.Join(dir, "acme")); len(values) != 2 {
				t.Errorf("%v: the values are %v", f, values)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil && !f.Forever {
			t.Errorf("%v: %v; %q are left", f, err, left)
		}
		r, err := mmv.Create("acme", mmv.Options{Dir: dir})
		if err != nil {
			t.Fatalf("%v: the next registry: %v", f, err)
		}
		mmv.Gauge[int64](r, "c").Set(3)
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			t.Errorf("%v: the next registry: %v", f, err)
		}
	}
}
