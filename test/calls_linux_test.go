package test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/remotewrite/remotewritetest"
	"pmtools/lib/safefile/safefiletest"
)

// A failing is a command whose system calls fail. Its files are those of the directory in which it runs.
type failing struct {
	name  string
	args  []string
	files map[string]string // that are there before
	again bool              // a file that the command has left is not in the way of the next run
}

var failings = []failing{
	{"export", []string{"pmderive", "-a", "ARCHIVE", "export", "-o", "out", "disk"}, nil, true},
	{"record", []string{"pmderive", "-a", "ARCHIVE", "eval", "kernel.all.load", "--archive-out", "rec"}, nil, false},
	{"save", []string{"pmderive", "fmt", "-w", "a.conf"}, map[string]string{"a.conf": "a.b=kernel.all.load  +  1\n"}, true},
	{"summarize", []string{"pmderive", "-a", "ARCHIVE", "summarize", "disk.dev.total"}, nil, true},
	{"eval", []string{"pmderive", "-a", "ARCHIVE", "eval", "kernel.all.load", "--output", "csv", "--output-file", "o.csv"}, map[string]string{"o.csv": "old\n"}, true},
	{"push", []string{"pmderive", "-a", "ARCHIVE", "push", "--to", "URL", "--queue", "q", "kernel.all.load"}, nil, true},
}

var failingCalls = []string{"openat", "read", "pread64", "write", "pwrite64", "fsync", "/^rename", "/^mkdir", "/^unlink", "/^link", "mmap", "ftruncate", "getdents64", "/^(new)?fstat", "connect", "flock", "close"}

// TestCalls lets system calls of whole commands fail: the n-th of a kind in each thread, or that and all after it. A status of 0 means that
// nothing is missing; else there is a reason, what was there stays, and the next run works. PMTOOLS_RUNS is the number of runs.
func TestCalls(t *testing.T) {
	t.Parallel()
	if err := exec.Command("strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true").Run(); err != nil {
		t.Skip("strace cannot trace here: ", err)
	}
	runs := 24
	if n, err := strconv.Atoi(os.Getenv("PMTOOLS_RUNS")); err == nil {
		runs = n
	}
	seed := safefiletest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	archive := filepath.Join(demo(t), "demo")
	want := make(map[string]map[string]string)
	injected := 0
	for range runs {
		f := &failings[r.IntN(len(failings))]
		if want[f.name] == nil {
			dir := f.prepare(t)
			want[f.name] = f.outcome(t, dir, f.run(t, dir, archive, ""))
		}
		when := fmt.Sprint(1 + r.IntN(12))
		if r.IntN(4) == 0 {
			when += "+"
		}
		call := failingCalls[r.IntN(len(failingCalls))]
		fault := fmt.Sprintf("inject=%s:error=%s:when=%s", call, []string{"ENOSPC", "EIO", "EMFILE", "EINTR", "EACCES"}[r.IntN(5)], when)
		if strings.HasSuffix(when, "+") && (f.name == "push" || strings.Contains(fault, "EINTR")) {
			continue // it would be tried for ever
		}
		if f.check(t, archive, fault, want[f.name]) {
			injected++
		}
		if t.Failed() {
			t.Fatalf("PMTOOLS_SEED=%d", seed)
		}
	}
	t.Logf("PMTOOLS_SEED=%d: %d of %d runs had a call that failed", seed, injected, runs)
}

// check runs the command with a fault, and then without, and reports whether the fault has come.
func (f *failing) check(t *testing.T, archive, fault string, want map[string]string) bool {
	t.Helper()
	dir := f.prepare(t)
	o := f.run(t, dir, archive, fault)
	got := f.outcome(t, dir, o)
	failed := func(format string, args ...any) {
		t.Errorf("%s: %s: %s\nstatus %d\n%s", f.name, fault, fmt.Sprintf(format, args...), o.status, o.stderr)
	}
	runtime := strings.Contains(o.stderr, "runtime: ") || strings.Contains(o.stderr, "fatal error: ") // Go's own calls
	switch {
	case o.status == 0 && !maps.Equal(got, want):
		failed("no error; %s", differing(got, want))
	case o.status != 0 && o.stderr == "" && !strings.Contains(fault, "=write:"):
		failed("no reason")
	case strings.Contains(o.stderr, "panic: ") && !runtime:
		failed("a panic")
	}
	if f.name == "save" && got["a.conf"] != want["a.conf"] && got["a.conf"] != f.files["a.conf"] {
		failed("the file is %q", got["a.conf"])
	}
	if !f.again && len(got) > 2 {
		return o.injected // what could be recorded stays
	}
	injected := o.injected
	if o = f.run(t, dir, archive, ""); f.name == "export" || f.name == "save" {
		o.stdout = want[" stdout"] // it may have nothing to do
	}
	if got = f.outcome(t, dir, o); o.status != 0 || !maps.Equal(got, want) {
		failed("the next run: %s", differing(got, want))
	}
	return injected
}

// differing returns the names of what differs, with the beginnings of both.
func differing(got, want map[string]string) (text string) {
	both := maps.Clone(want)
	maps.Copy(both, got)
	for name := range both {
		if g, has := got[name]; g != want[name] || !has {
			text += fmt.Sprintf("%q is %.300q, want %.300q; ", name, g, want[name])
		}
	}
	return text
}

func (f *failing) prepare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type failingOutcome struct {
	status         int
	stdout, stderr string
	injected       bool
	taken          string // by the database
}

// run runs the command, in which calls fail if fault is not empty.
func (f *failing) run(t *testing.T, dir, archive, fault string) failingOutcome {
	t.Helper()
	db := &remotewritetest.Database{}
	srv := httptest.NewServer(db)
	defer srv.Close()
	log := filepath.Join(t.TempDir(), "log")
	args := []string{command(t, f.args[0])}
	for _, a := range f.args[1:] {
		args = append(args, strings.NewReplacer("ARCHIVE", archive, "URL", srv.URL+"/api/v1/write").Replace(a))
	}
	if fault != "" {
		call, _, _ := strings.Cut(strings.TrimPrefix(fault, "inject="), ":")
		args = append([]string{"strace", "-f", "-o", log, "-e", "trace=" + call, "-e", fault}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "TZ=UTC", "HOME="+dir, "PMDERIVE_HISTORY=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stop := time.AfterFunc(20*time.Second, func() { cmd.Process.Signal(os.Interrupt) })
	err := cmd.Run()
	stop.Stop()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(log)
	o := failingOutcome{status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), injected: bytes.Contains(text, []byte("(INJECTED)"))}
	series := db.Series()
	var lines []string
	for name, samples := range series {
		for _, s := range samples {
			lines = append(lines, fmt.Sprintln(name, s))
		}
	}
	slices.Sort(lines)
	o.taken = strings.Join(slices.Compact(lines), "") // one that was sent again is there again
	o.stdout = strings.ReplaceAll(o.stdout, srv.URL, "URL")
	return o
}

// outcome returns the standard output and the files, whose names begin with no dot. Files that differ from run to run have no content.
func (f *failing) outcome(t *testing.T, dir string, o failingOutcome) map[string]string {
	t.Helper()
	files := map[string]string{" stdout": o.stdout, " taken": o.taken}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			text, bad := os.ReadFile(path)
			if err = bad; filepath.Ext(name) == ".json" || strings.HasPrefix(name, "rec.") || strings.HasPrefix(name, "out/metrics/") {
				text = nil
			}
			files[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
