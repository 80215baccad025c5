package test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/remotewrite/remotewritetest"
	"pmtools/lib/safefile/safefiletest"
)

// A failing is a command whose system calls fail. Its files are those of the directory in which it runs.
type failing struct {
	name  string
	args  []string
	files map[string]string // that are there before
	again bool              // a file that the command has left is not in the way of the next run
	live  bool              // PCP's form: a metric that fails has an error in its place, and the status stays 0
	calls []string          // that fail; nil for all
}

var failings = []failing{
	{name: "export", args: []string{"pmderive", "-a", "ARCHIVE", "export", "-o", "out", "disk"}, again: true},
	{name: "record", args: []string{"pmderive", "-a", "ARCHIVE", "eval", "kernel.all.load", "--archive-out", "rec"}},
	{name: "save", args: []string{"pmderive", "fmt", "-w", "a.conf"}, files: map[string]string{"a.conf": "a.b=kernel.all.load  +  1\n"}, again: true},
	{name: "summarize", args: []string{"pmderive", "-a", "ARCHIVE", "summarize", "disk.dev.total"}, again: true},
	{name: "eval", args: []string{"pmderive", "-a", "ARCHIVE", "eval", "kernel.all.load", "--output", "csv", "--output-file", "o.csv"},
		files: map[string]string{"o.csv": "old\n"}, again: true},
	{name: "plot", args: []string{"pmderive", "-a", "ARCHIVE", "eval", "kernel.all.load", "--plot", "p.svg"}, files: map[string]string{"p.svg": "old\n"}, again: true},
	{name: "junit", args: []string{"pmderive", "test", "a.cases", "--junit", "out.xml"}, again: true,
		files: map[string]string{"a.cases": "step 1s\nmetric a u32 instant count\n  value 1 2 3\ncase a\n  eval a + 1\n    value 2 3 4\n"}},
	{name: "push", args: []string{"pmderive", "-a", "ARCHIVE", "push", "--to", "URL", "--queue", "q", "kernel.all.load"}, again: true},
	{name: "local", args: []string{"pminfo", "-L", "-f", "hinv.ncpu", "kernel.uname.sysname", "network.interface.mtu"}, again: true, live: true,
		calls: []string{"openat", "mmap", "getdents64", "/^rename", "/^mkdir", "fsync"}}, // an interface that cannot be read has no value
	{name: "local values", args: []string{"pmderive", "-L", "eval", "hinv.ncpu", "-o", "csv"}, again: true},
	{name: "agent", args: []string{"pminfo", "-L", "-K", "add,449,PROGRAM", "-f", "hello.greeting"}, again: true, live: true,
		calls: []string{"openat", "read", "mmap", "/^mkdir", "/^unlink", "pipe2", "/^clone", "close", "/^(new)?fstat"}}, // PCP's commands do not look after writing
	{name: "agent script", args: []string{"pmderive", "agent", "script"}, again: true, live: true,
		files: map[string]string{"script": "open pipe PROGRAM -d 449\ntext 449.0.0\nclose\n"}},
	{name: "mmv", args: []string{"count", "values"}, again: true},
}

var failingCalls = []string{"openat", "read", "pread64", "write", "pwrite64", "fsync", "/^rename", "/^mkdir", "/^unlink", "/^link", "mmap", "ftruncate", "getdents64", "/^(new)?fstat", "connect", "flock", "close", "pipe2", "/^clone"}

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
			o := f.run(t, dir, archive, "")
			if want[f.name] = f.outcome(t, dir, o); o.status != 0 {
				t.Fatalf("%s: status %d without a fault\n%s", f.name, o.status, o.stderr)
			}
		}
		when := fmt.Sprint(1 + r.IntN(12))
		if r.IntN(4) == 0 {
			when += "+"
		}
		calls := failingCalls
		if f.calls != nil {
			calls = f.calls
		}
		call := calls[r.IntN(len(calls))]
		fault := fmt.Sprintf("inject=%s:error=%s:when=%s", call, []string{"ENOSPC", "EIO", "EMFILE", "EINTR", "EACCES"}[r.IntN(5)], when)
		if strings.HasSuffix(when, "+") && (f.name == "push" || strings.Contains(fault, "EINTR")) {
			continue // it would be tried for ever
		}
		if call == "close" && (f.live || strings.HasSuffix(when, "+")) {
			continue // an agent would wait for ever for the end of its pipe
		}
		if call == "/^unlink" && (f.name == "junit" || f.name == "plot") {
			continue // a temporary file that cannot be removed stays
		}
		if f.live && call == "openat" && strings.Contains(fault, "EACCES") {
			continue // files that are for others have no values
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
	case o.status == 0 && f.live && (strings.Contains(o.stdout, "Error:") || strings.Contains(o.stdout, "pmLookup") || o.stderr != ""):
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
	if o = f.run(t, dir, archive, ""); f.name == "export" || f.name == "save" || f.name == "push" {
		o.stdout = want[" stdout"] // it may have less to do, or the rest of the queue too
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
		text = strings.ReplaceAll(text, "PROGRAM", command(t, "hello"))
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
		args = append(args, strings.NewReplacer("ARCHIVE", archive, "URL", srv.URL+"/api/v1/write", "PROGRAM", command(t, "hello")).Replace(a))
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
	cmd.WaitDelay = 20 * time.Second
	stop := time.AfterFunc(20*time.Second, func() { cmd.Process.Signal(os.Interrupt) })
	kill := time.AfterFunc(40*time.Second, func() { cmd.Process.Kill() })
	err := cmd.Run()
	stop.Stop()
	kill.Stop()
	if cmd.ProcessState == nil || errors.Is(err, exec.ErrWaitDelay) || cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("%s: %s: %v: the command, or one that it has started, does not end\n%s", f.name, fault, err, stderr.String())
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
	o.stdout = times.ReplaceAllString(strings.ReplaceAll(o.stdout, srv.URL, "URL"), "TIME")
	return o
}

// times match those of live values.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// mapped returns the values of a memory-mapped file.
func mapped(b []byte) ([]byte, error) {
	f, err := mmv.Parse(b)
	if err != nil {
		return nil, err
	}
	var text []byte
	for i := range f.Values {
		v := &f.Values[i]
		x, err := f.Value(b, v, time.Unix(0, 0))
		text = fmt.Appendln(text, f.Metrics[v.Metric].Name, v.Inst, x, err)
	}
	return text, nil
}

// outcome returns the standard output and the files, whose names begin with no dot. Files that differ from run to run have no content.
func (f *failing) outcome(t *testing.T, dir string, o failingOutcome) map[string]string {
	t.Helper()
	files := map[string]string{" stdout": o.stdout, " taken": o.taken}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if d != nil && d.Name() == ".cache" { // it may be lost
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && d.Name() != "lock" && !strings.HasPrefix(d.Name(), "hello.log") {
			text, bad := os.ReadFile(path)
			if err = bad; filepath.Ext(name) == ".json" || strings.HasPrefix(name, "rec.") || strings.HasPrefix(name, "out/metrics/") {
				text = nil
			} else if strings.HasPrefix(name, "values/") {
				text, err = mapped(text)
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
