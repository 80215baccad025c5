package mmv_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/lib/mmv"
)

// updating is the variable that makes the test's program one that updates values for ever.
const updating = "PMTOOLS_TEST_UPDATE_IN"

// updateForever updates values of all kinds from several goroutines, and prints a line again and
// again while they do. Where register says so, it registers one metric more from time to time.
func updateForever(dir string, register bool) {
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := r.Domain().Add("a", "b")
	count, small := mmv.Counter[uint64](r, "count", mmv.Per(d)), mmv.Gauge[int32](r, "small")
	load, text, watch := mmv.Gauge[float64](r, "load"), mmv.Text(r, "text"), mmv.Timer(r, "watch")
	for i := range 500 { // more than a page
		mmv.Gauge[int64](r, fmt.Sprint("m", i))
	}
	at := count.At("b")
	// The counter itself may stand still: its memory has gone, and on most systems an update of it is dropped.
	var updates atomic.Int64
	for range 2 {
		go func() {
			for {
				at.Add(1)
				small.Set(7)
				load.Add(0.5)
				text.Set("some text")
				watch.Start()()
				_ = at.Get()
				updates.Add(1)
				runtime.Gosched()
			}
		}()
	}
	for n := 0; ; n++ {
		last := updates.Load()
		small.Clear()
		if register && n%4 == 0 {
			mmv.Gauge[int64](r, fmt.Sprint("more", n)).Set(1)
		}
		time.Sleep(2 * time.Millisecond)
		if updates.Load() != last {
			fmt.Println("updates go on", r.Err())
		}
	}
}

// TestTruncated truncates the file of a program that updates it. The program goes on, and its next
// registration writes a complete file.
func TestTruncated(t *testing.T) {
	if info, _ := debug.ReadBuildInfo(); slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector's own code updates atomic values, and Go's runtime recovers from no fault in that")
	}
	for _, mode := range []string{"update", "register"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), updating+"="+mode+" "+dir)
			var failed strings.Builder
			cmd.Stderr = &failed
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			}()
			lines, path := bufio.NewScanner(out), filepath.Join(dir, "acme")
			for i := range 60 {
				if !lines.Scan() || lines.Text() != "updates go on <nil>" {
					_ = cmd.Wait()
					t.Fatalf("after %d times: %q, %.300s", i, lines.Text(), &failed)
				}
				if err := os.Truncate(path, int64(i%3)*5000); err != nil && runtime.GOOS != "windows" {
					t.Fatal(err) // Windows does not truncate files that are mapped
				}
			}
		})
	}
}

// TestTruncatedView reads a file that becomes shorter in a program that writes another: that is an
// error, as it is in programs that write none.
func TestTruncatedView(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are read each time")
	}
	dir := t.TempDir()
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mmv.Gauge[int32](r, "m").Set(1)
	path := filepath.Join(dir, "acme")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, content, 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := mmv.OpenFile(other, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, _, err := m.Content()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(other, 0); err != nil {
		t.Fatal(err)
	}
	if err := m.Read(func() error { _, err := m.Value(b, &m.Values[0], time.Now()); return err }); err == nil {
		t.Error("what is missing was read")
	}
	if !m.Changed() {
		t.Error("the file has not changed")
	}
}
