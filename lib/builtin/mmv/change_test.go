package mmv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestCheckCost looks at files that do not change: the cost in memory, of which opening a file
// takes some, does not depend on how many there are.
func TestCheckCost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are read each time")
	}
	cost := func(n int) float64 {
		w := newWorld(t)
		many(t, w.dir, n)
		changing := w.build(nil)
		changing[16]++
		for i := range n {
			w.put(fmt.Sprint("changing", i), changing)
		}
		ctx := context.Background()
		if err := w.Check(ctx, nil); err != nil || len(w.files) != n || len(w.changing) != n {
			t.Fatalf("%d files, %d that change, error %v", len(w.files), len(w.changing), err)
		}
		return testing.AllocsPerRun(10, func() {
			if err := w.Check(ctx, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, more := cost(2), cost(200); more > few {
		t.Errorf("%v allocations with 200 files, %v with 2", more, few)
	}
}

// TestReuse changes one file of three. The others stay open.
func TestReuse(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.put(fmt.Sprint("f", i), w.build(func(s *mmvtest.Spec) { s.Cluster = int32(i + 1) }))
	}
	w.names()
	was := slices.Clone(w.files)
	// As programs do it: another file takes the name.
	aside := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(aside, w.build(func(s *mmvtest.Spec) { s.Cluster, s.Generation = 2, 9 }), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, filepath.Join(w.dir, "f1")); err != nil {
		t.Fatal(err)
	}
	w.put("f3", w.build(func(s *mmvtest.Spec) { s.Cluster = 4 }))
	if got := w.names(); strings.Count(got, ".state") != 4 {
		t.Errorf("names %s", got)
	}
	for i, want := range []bool{true, false, true} {
		if got := w.files[i] == was[i]; got != want {
			t.Errorf("file %d is the one that was open before: %t, want %t", i, got, want)
		}
	}
	if w.files[1].Generation != 9 {
		t.Errorf("generation %d of the new file", w.files[1].Generation)
	}
	w.put("f0", nil)
	if w.names(); len(w.files) != 3 || w.files[2].path != filepath.Join(w.dir, "f3") {
		t.Errorf("%d files", len(w.files))
	}
}

// TestTruncated truncates a file between the look at it and the fetch: the values that are missing
// are errors, and the next look finds that the file is none any more.
func TestTruncated(t *testing.T) {
	content := mmvtest.Build(mmvtest.Demo())
	const page = 1 << 16 // more than any system's
	content = append(content, make([]byte, 3*page-len(content))...)
	for _, size := range []int64{0, 20, mmv.HeaderSize, 1000, 2 * page} {
		w := newWorld(t)
		w.put("acme", content)
		if got := w.names(); got != demoNames {
			t.Fatal(got)
		}
		if err := os.Truncate(filepath.Join(w.dir, "acme"), size); err != nil {
			t.Skip(err)
		}
		var names []string
		for _, n := range strings.Fields(demoNames) {
			names = append(names, "mmv."+n)
		}
		full := 0
		for _, s := range w.fetch(names...).Sets {
			switch {
			case s.Err == nil && s.Len() > 0:
				full++
			case s.Err != pmerr.Value:
				t.Errorf("%d bytes: %v has %d values, error %v", size, s.ID, s.Len(), s.Err)
			}
		}
		if complete := full == len(names); size == 2*page && !complete || size <= 1000 && complete {
			t.Errorf("%d bytes: %d metrics have values", size, full)
		}
		if got := w.names(); got != "" && size <= mmv.HeaderSize {
			t.Errorf("%d bytes: then %s", size, got)
		}
	}
}

// TestTruncating truncates a file again and again while it is read.
func TestTruncating(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.dir, "acme")
	content := w.build(nil)
	w.put("acme", content)
	w.names()
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
				if err := os.WriteFile(path, content, 0o666); err != nil { // in place: it is empty for a moment
					ended <- err
					return
				}
			}
		}
	}()
	ids := w.Agent.Names()
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		w.names()
		for _, n := range ids {
			if id, err := w.LookupName(context.Background(), nil, n.Name); err == nil && id != pcp.NullID {
				w.fetch(n.Name)
			}
		}
		if id, err := w.LookupName(context.Background(), nil, "mmv.acme.state"); err == nil && id != pcp.NullID {
			w.fetch("mmv.acme.state", "mmv.acme.count", "mmv.acme.n.i64")
		}
		w.stamp = w.stamp.Add(time.Second)
		if err := os.Chtimes(w.dir, w.stamp, w.stamp); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestRoom has files that say they are huge.
func TestRoom(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		name := fmt.Sprint("f", i)
		w.put(name, w.build(func(s *mmvtest.Spec) { s.Cluster = int32(i + 1) }))
		if err := os.Truncate(filepath.Join(w.dir, name), maxAll/2+1); err != nil {
			t.Skip(err)
		}
	}
	if w.names(); len(w.files) != 1 || len(w.log) != 2 || !strings.Contains(w.log[0], "bytes") {
		t.Errorf("%d files, log %q", len(w.files), w.log)
	}
}
