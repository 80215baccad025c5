package push_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/peer/harness"
)

// TestMillions: an archive of 100 records, or PMTOOLS_RUNS, with 2001 values each is in the database, and how long that took.
func TestMillions(t *testing.T) {
	ours, _, root := harness.Setup(t)
	records, dir := min(harness.Number("PMTOOLS_RUNS", 100), 5000), t.TempDir()
	if err := archivetest.BuildBig(dir, "big", records); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.program, func(t *testing.T) {
			d := newDatabase(t, k, root)
			push := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", filepath.Join(dir, "big"), "push", "--to", d.base+"/api/v1/write", "big")
			var out, said bytes.Buffer
			push.Stdout, push.Stderr = &out, &said
			begun := time.Now()
			err := push.Run()
			took := time.Since(begun)
			if want := fmt.Sprintf("%s/api/v1/write: %d samples sent\n", d.base, records*2001); err != nil || out.String() != want {
				t.Fatalf("%v: %s%s, want %s", err, &said, &out, want)
			}
			d.await(t, float64(records*2001))
			used := push.ProcessState.UserTime() + push.ProcessState.SystemTime()
			t.Logf("%d samples took %.1f s, and %.1f s of processor time", records*2001, took.Seconds(), used.Seconds())
		})
	}
}
