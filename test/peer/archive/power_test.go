package archive

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile/safefiletest"
	"pmtools/test/peer/harness"
)

const powerRecords = 9

// powered writes an archive of two volumes, and tells how many records a loss of power must leave.
func powered(base string, told func(records int)) error {
	w, err := archive.Create(base, &archive.WriterOptions{Sync: true, VolumeBytes: 1100, Host: "h"})
	if err != nil {
		return err
	}
	id, start := pcp.NewID(60, 0, 1), int64(1700000000)
	err = w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant}, "a.count")
	for i := range powerRecords {
		set := pcp.Values{ID: id, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(1000 + i)}}
		err = errors.Join(err, w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: start + int64(i)}, Sets: []pcp.Values{set}}), w.Flush())
		if i%3 == 2 {
			if err = errors.Join(err, w.Sync()); err == nil {
				told(i + 1)
			}
		}
	}
	if err = errors.Join(err, w.Close()); err == nil {
		told(powerRecords + 1)
	}
	return err
}

// TestPower: from what a loss of power leaves of an archive the reference reads all records up to the last Sync, and after Close it finds
// no fault.
func TestPower(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		if err := powered(filepath.Join(dir, "a"), func(n int) { mark(strconv.Itoa(n)) }); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 3, func(dir string, marks []string) error {
		if marks == nil {
			return nil
		}
		sure, _ := strconv.Atoi(marks[len(marks)-1])
		o, err := theirs.Run(harness.Command{Args: []string{"pmlogdump", "a"}, Dir: dir}, root)
		if err != nil {
			return err
		}
		for i := range min(sure, powerRecords) {
			if !bytes.Contains(o.Stdout, fmt.Appendf(nil, "value %d\n", 1000+i)) {
				return fmt.Errorf("pmlogdump does not show record %d of %d: status %d\n%s%s", i, sure, o.Status, o.Stdout, o.Stderr)
			}
		}
		if o.Crashed() || sure > powerRecords && o.Status != 0 {
			return fmt.Errorf("pmlogdump: status %d\n%s", o.Status, o.Stderr)
		}
		if sure <= powerRecords {
			return nil
		}
		if o, err = theirs.Run(harness.Command{Args: []string{"pmlogcheck", "-w", "a"}, Dir: dir}, root); err == nil && (o.Status != 0 || len(o.Stdout)+len(o.Stderr) > 0) {
			err = fmt.Errorf("pmlogcheck: status %d\n%s%s", o.Status, o.Stdout, o.Stderr)
		}
		return err
	})
}
