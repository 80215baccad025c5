//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sys/unix"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// contents returns the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExportFull exports where there is no room: the error has the name of the file, the status is 1,
// and the directory is as it was.
func TestExportFull(t *testing.T) {
	dir := t.TempDir()
	demo, out := archivetest.Path(t, "demo"), filepath.Join(dir, "out")
	export := func(args ...string) (status int, stderr string) {
		got := clitest.RunWith("pmderive", newCommand, "", append([]string{"-a", demo, "export", "-o", out}, args...), nil)
		return got.Status, got.Stderr
	}
	if status, text := export("disk.dev.total"); status != 0 {
		t.Fatal(text)
	}
	before := contents(t, dir)
	if !cramp(t, 3000) {
		return
	}
	for _, args := range [][]string{{"disk"}, {"--wide", "disk"}, nil} {
		status, text := export(args...)
		if status != 1 || !strings.Contains(text, "write "+out+"/") || !strings.Contains(text, ".parquet: file too large") {
			t.Errorf("%q: status %d, %s", args, status, text)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%q: there is %q now, was %q", args, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
	}
}

// TestExportKilled kills exports as they go along: nothing stands under a final name that is not
// complete, and the next export gives the same files.
func TestExportKilled(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", 100); err != nil {
		t.Fatal(err)
	}
	export := func(out string) *exec.Cmd {
		return exec.Command("pmderive", "-a", filepath.Join(dir, "big"), "export", "-o", out)
	}
	begun := time.Now()
	if text, err := export(filepath.Join(dir, "whole")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	took := time.Since(begun)
	want := tables(t, filepath.Join(dir, "whole"))
	for i := range 10 { // the last ones while files get their names, or after that
		out := filepath.Join(dir, fmt.Sprint("out", i))
		c := export(out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / 9)
		c.Process.Kill()
		c.Wait()
		if _, err := os.Stat(out); err == nil {
			for name, text := range tables(t, out) {
				if text != want[name] {
					t.Errorf("%s: %d bytes, want %d", name, len(text), len(want[name]))
				}
			}
		}
		if text, err := export(out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		same(t, tables(t, out), want)
	}
}

// TestCompactKilled kills compactions as they go along: the tables have each value once, and neither an export nor
// another compaction changes that.
func TestCompactKilled(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("directories cannot be exchanged")
	}
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := archivetest.BuildBig(dir, name, 100); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		text, err := exec.Command("pmderive", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
		return string(text)
	}
	export := func(out string) (said string) {
		for _, name := range []string{"one", "two"} {
			said += run("-a", filepath.Join(dir, name), "export", "-o", out, "--partition", "date", "--label", "host="+name)
		}
		return said
	}
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	export(whole)
	if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	run("compact", out)
	took := time.Since(begun)
	want := valuesOf(t, out)
	for i := range 8 {
		if err := errors.Join(os.RemoveAll(out), os.CopyFS(out, os.DirFS(whole))); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("pmderive", "compact", out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / 8)
		c.Process.Kill()
		c.Wait()
		for _, after := range []func(){
			func() {},
			func() {
				if said := export(out); said != "one: nothing new\ntwo: nothing new\n" {
					t.Errorf("after a kill: %s", said)
				}
			},
			func() { run("compact", out) },
		} {
			if after(); valuesOf(t, out) != want {
				t.Fatalf("killed after %v: %d values, want %d", took*time.Duration(i+1)/8, valuesOf(t, out), want)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(out, "_pmtools/compact/*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}

// valuesOf returns the number of rows of all tables of values.
func valuesOf(t *testing.T, dir string) (rows int64) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "values", "*", "*.parquet"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		p, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(name, err)
		}
		rows += p.NumRows()
		f.Close()
	}
	return rows
}

// TestExportRoom exports where there is room for some files only, up to each of them in turn. The tables are as
// they were, and once there is room the next export is complete.
func TestExportRoom(t *testing.T) {
	demo := archivetest.Path(t, "demo")
	if !cramp(t, 1<<20) {
		return
	}
	export := func(room uint64, args ...string) int {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: room, Max: 1 << 20}); err != nil {
			t.Skip("the size of files cannot be limited here: ", err)
		}
		defer unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20})
		return clitest.RunWith("pmderive", newCommand, "", append([]string{"-a", demo, "export"}, args...), nil).Status
	}
	dir := t.TempDir()
	export(1<<20, "-o", filepath.Join(dir, "whole"), "disk.dev.total")
	export(1<<20, "-o", filepath.Join(dir, "whole"))
	want, failed := tables(t, filepath.Join(dir, "whole")), 0
	for room := uint64(100); room < 6000; room += 250 {
		out := filepath.Join(dir, fmt.Sprint(room))
		export(1<<20, "-o", out, "disk.dev.total")
		before := contents(t, out)
		if export(room, "-o", out) != 0 {
			failed++
			if after := contents(t, out); !maps.Equal(before, after) {
				t.Errorf("room for %d bytes: there is %q now, was %q", room, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
			}
		}
		if status := export(1<<20, "-o", out); status != 0 {
			t.Errorf("room for %d bytes: then status %d", room, status)
		}
		same(t, tables(t, out), want)
	}
	if failed < 10 {
		t.Errorf("only %d exports had no room", failed)
	}
}

// tables returns the files of the tables below a directory.
func tables(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := contents(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "_pmtools/") })
	return files
}

// same compares files.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok || text != want[name] {
			t.Errorf("%s: %d bytes, or others than it should have, want %d", name, len(text), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

// TestExportTogether: processes that export at the same time into one directory, two of them the same
// archive, leave what one after the other would.
func TestExportTogether(t *testing.T) {
	dir := t.TempDir()
	names := []string{"demo", "labels", "demo", "sample", "demo"}
	run := func(out string, together bool) {
		var all []*exec.Cmd
		for _, name := range names {
			c := exec.Command("pmderive", "-a", archivetest.Path(t, name), "export", "-o", filepath.Join(dir, out))
			c.Stderr = new(bytes.Buffer)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if all = append(all, c); !together {
				c.Wait()
			}
		}
		for _, c := range all {
			if c.Wait(); !c.ProcessState.Success() {
				t.Errorf("%q: %s", c.Args, c.Stderr)
			}
		}
	}
	run("one", false)
	run("all", true)
	same(t, tables(t, filepath.Join(dir, "all")), tables(t, filepath.Join(dir, "one")))
}

// TestExportSignals ends exports without an end by signals: what came is kept, and the status is 0.
func TestExportSignals(t *testing.T) {
	demo := archivetest.Path(t, "demo")
	for _, tt := range []struct {
		args   []string
		signal os.Signal
		ready  string // a pattern of files: then there are rows
	}{
		{[]string{"-L", "export", "-t", "0.01", "sample.bin"}, os.Interrupt, "_pmtools/*/export-*/*"},
		{[]string{"-L", "export", "-t", "10min", "sample.bin"}, unix.SIGTERM, "_pmtools/*/export-*/*"},
		{[]string{"-a", demo, "export", "--follow", "disk"}, os.Interrupt, "values/*/*/*"},
		{[]string{"-a", demo, "export", "--follow"}, unix.SIGTERM, "values/*/*/*"},
	} {
		dir := t.TempDir()
		c := exec.Command("pmderive", append(tt.args, "-o", dir)...)
		c.Env = append(os.Environ(), "HOME="+dir)
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			if list, _ := filepath.Glob(filepath.Join(dir, tt.ready)); len(list) > 0 {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%q: nothing is exported", tt.args)
				break
			}
		}
		c.Process.Signal(tt.signal)
		if err := c.Wait(); err != nil || errs.Len() > 0 {
			t.Errorf("%q: %v\n%s", tt.args, err, &errs)
		}
		values, _ := filepath.Glob(filepath.Join(dir, "values/*/*/*.parquet"))
		left, _ := filepath.Glob(filepath.Join(dir, "_pmtools/*/export-*"))
		if len(values) == 0 || len(left) > 0 {
			t.Errorf("%q: %q, left behind: %q", tt.args, values, left)
		}
	}
}

// interrupts is how often interrupted runs a command.
const interrupts = 10

// interrupted runs a command and interrupts it after parts of the time that it takes. check gets what it said, and the
// error, nil for status 0; it reports whether that is true.
func interrupted(t *testing.T, args func(dir string, i int) []string, check func(dir, text string, err error) bool) {
	took := time.Duration(0)
	for i := range interrupts {
		dir := t.TempDir()
		c := exec.Command("pmderive", args(dir, i)...)
		c.Env = append(os.Environ(), "HOME="+dir)
		var errs bytes.Buffer
		c.Stderr = &errs
		start := time.Now()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if i > 0 { // the first one tells how long it takes
			time.Sleep(took * time.Duration(i) / (interrupts - 2))
			c.Process.Signal(os.Interrupt)
		}
		err := c.Wait()
		if i == 0 {
			took = time.Since(start)
		}
		if !c.ProcessState.Exited() {
			continue // the signal came before all began
		}
		if text := errs.String(); !check(dir, text, err) {
			files, _ := filepath.Glob(filepath.Join(dir, "out*/*/*/*/*"))
			t.Errorf("%q, interrupted after %d/%d of its time: %v, %q, and there are %q", c.Args, i, interrupts-2, err, text, files)
		}
	}
}

// TestExportInterrupted interrupts exports of archives at any moment: the message and the status say what is there.
func TestExportInterrupted(t *testing.T) {
	demo := archivetest.Path(t, "demo")
	interrupted(t, func(dir string, i int) []string {
		args := []string{"-a", demo, "export", "-o", filepath.Join(dir, "out")}
		if i%3 == 2 {
			args = append(args, "--check")
		}
		return args
	}, func(dir, text string, err error) bool {
		files, _ := filepath.Glob(filepath.Join(dir, "out/values/*/*/*.parquet"))
		if len(files) > 0 {
			return err == nil || strings.Contains(text, "all is exported")
		}
		return err != nil && strings.Contains(text, "is not exported")
	})
}

// TestRecordInterrupted interrupts the copy of an archive: the message and the status say how much is there.
func TestRecordInterrupted(t *testing.T) {
	long := filepath.Join(t.TempDir(), "long")
	w, err := archive.Create(long, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	id := pcp.NewID(60, 0, 1)
	err = w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint32, InDom: pcp.NullInDom}, "x")
	for i := range 10000 {
		set := pcp.Values{ID: id, Type: pcp.Uint32, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(i)}}
		err = errors.Join(err, w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(i)}, Sets: []pcp.Values{set}}))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	all := 0 // as many as the first run has
	interrupted(t, func(dir string, _ int) []string {
		return []string{"-a", long, "eval", "-t", "1", "x", "--archive-out", filepath.Join(dir, "out")}
	}, func(dir, text string, err error) bool {
		if _, none := os.Stat(filepath.Join(dir, "out.meta")); none != nil { // it had not begun
			return err != nil && text == "pmderive: interrupted\n"
		}
		set, bad := archive.Open(t.Context(), filepath.Join(dir, "out"), nil)
		if bad != nil {
			t.Error(bad)
			return false
		}
		defer set.Close()
		n := 0
		var r pcp.Result
		for c := set.Cursor(); c.Next(t.Context(), &r) == nil; n++ {
		}
		if all == 0 {
			all = n
		}
		return err == nil && n == all || err != nil && strings.Contains(text, fmt.Sprintf("ends after %d sample", n))
	})
}

// TestExportFollow follows an archive with a derived metric, ends and begins again: in the end there are
// as many values as a plain export finds.
func TestExportFollow(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "grows")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	id := pcp.NewID(60, 0, 1)
	if err := w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter}, "a.count"); err != nil {
		t.Fatal(err)
	}
	n := 0
	put := func(records int) {
		t.Helper()
		for range records {
			r := &pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(n)*30}}
			r.Sets = []pcp.Values{{ID: id, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(n * n)}}}
			if err := w.Put(r); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	follow := func(files, more, then int) {
		t.Helper()
		c := exec.Command("pmderive", "-a", base, "export", "--follow", "-t", "0.1", "-o", filepath.Join(dir, "out"), "a.count", "r=rate(a.count)")
		out.Reset()
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer c.Process.Kill()
		await := func(files int) {
			for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
				if list, _ := filepath.Glob(filepath.Join(dir, "out/values/*/*/*")); len(list) >= files {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("not %d files within a minute\n%s", files, &out)
				}
			}
		}
		await(files)
		put(more)
		await(then)
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
	}
	put(4)
	follow(1, 3, 2)
	follow(2, 4, 3)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "grows: 8 values; files: 1\n"; out.String() != want { // those that the first run has not written
		t.Errorf("%swant %s", &out, want)
	}
	want := fmt.Sprintf("grows: %d values of 2 metrics; files: 1\n", 2*n-1)
	both, err := exec.Command("pmderive", "-a", base, "export", "-o", filepath.Join(dir, "out"), "a.count", "r=rate(a.count)").CombinedOutput()
	if err != nil || string(both) != want {
		t.Errorf("%swant %s", both, want)
	}
	plain, err := exec.Command("pmderive", "-a", base, "export", "-o", filepath.Join(dir, "plain"), "a.count", "r=rate(a.count)").CombinedOutput()
	if err != nil || string(plain) != want {
		t.Errorf("%swant %s", plain, want)
	}
}

// TestExportProgress: a terminal shows how far an export is.
func TestExportProgress(t *testing.T) {
	s := newScreen(t, nil, "-L", "export", "-t", "0.01", "-o", t.TempDir(), "sample.bin")
	s.wait(" million/s", 1)
	if text := s.text(); strings.Count(text, "\n") > 0 || !strings.Contains(text, " values, ") {
		t.Errorf("screen\n%s", text)
	}
	s.keys("C-c")
	s.gone()
}
