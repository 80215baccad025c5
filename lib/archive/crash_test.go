package archive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile/safefiletest"
)

const crashRecords = 18

// grow writes an archive of some volumes, and tells how many records a loss of power must leave.
func grow(base string, told func(records int)) (err error) {
	w, err := archive.Create(base, &archive.WriterOptions{Sync: true, VolumeBytes: 1200})
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, w.Close()); err == nil {
			told(crashRecords)
		}
	}()
	if err := w.AddMetric(miniDesc, "mini.x"); err != nil {
		return err
	}
	for i := range crashRecords {
		if err := errors.Join(w.Put(mini(seconds(int64(i)), int32(i))), w.Flush()); err != nil {
			return err
		}
		if i%4 == 3 {
			if err := w.Sync(); err != nil {
				return err
			}
			told(i + 1)
		}
	}
	return nil
}

// readable returns the number of records of an archive up to the first damage. The first ones so many must be right.
func readable(base string, sure int) (n int, err error) {
	set, err := archive.Open(context.Background(), base, nil)
	if err != nil {
		return 0, err
	}
	defer set.Close()
	c := set.Cursor()
	for r := (pcp.Result{}); c.Next(context.Background(), &r) == nil; n++ {
		if n >= sure {
			continue
		}
		if len(r.Sets) != 1 || r.Sets[0].Len() != 1 || r.Sets[0].Words[0] != uint64(n) || r.Time != seconds(int64(n)) {
			return n, fmt.Errorf("record %d is %v", n, r)
		}
	}
	return n, nil
}

// TestCrash: a loss of power leaves all records up to the last Sync, and after Close all. What came after Sync may be missing or torn.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		if err := grow(filepath.Join(dir, "a"), func(n int) { mark(fmt.Sprint(n)) }); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 12, func(dir string, marks []string) error {
		sure := 0
		if len(marks) > 0 {
			fmt.Sscan(marks[len(marks)-1], &sure)
		}
		n, err := readable(filepath.Join(dir, "a"), sure)
		if sure == 0 {
			return nil // it may be lost
		} else if n < sure || sure == crashRecords && n > sure {
			return fmt.Errorf("there are %d records, want %d: %v", n, sure, err)
		}
		return err
	})
}

// TestWriteFaults: each call of the file system fails. The error is reported; a readable archive of the records up to the last Flush stays,
// or none.
func TestWriteFaults(t *testing.T) {
	for f := range safefiletest.Faults(t, 1) {
		dir := t.TempDir()
		base := filepath.Join(dir, "a")
		sure := 0
		var err error
		f.During(func() { err = grow(base, func(n int) { sure = n }) })
		if (err != nil) != f.Hit() {
			t.Errorf("%v: the error is %v", f, err)
		}
		left, _ := os.ReadDir(dir)
		if len(left) == 0 && sure == 0 || f.Forever {
			continue // without calls nothing can be set right
		}
		if n, bad := readable(base, sure); bad != nil || n < sure {
			t.Errorf("%v: %v; %d records are readable, want %d: %v", f, err, n, sure, bad)
		}
	}
}
