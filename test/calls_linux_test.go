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

	"pmtools/internal/remotewritetest"
	"pmtools/lib/mmv"
	"pmtools/lib/pmcd/pmcdtest"
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
	keys  string            // typed at a terminal, on which the command runs
	state []string          // files that only the command itself reads, which are old or new whatever its status is
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
	{name: "install", args: []string{"pmderive", "-a", "ARCHIVE", "install", "--force", "--dir", "derived", "a.conf"}, again: true,
		files: map[string]string{"a.conf": "a.b = kernel.all.load + 1\n", "derived/a.conf": "a.b = 2\n"}},
	{name: "uninstall", args: []string{"pmderive", "uninstall", "--dir", "derived", "a.conf"}, again: true,
		files: map[string]string{"derived/a.conf": "a.b = 2\n", "derived/b.conf": "a.d = 4\n"}},
	{name: "compact", args: []string{"pmderive", "compact", "out"}, again: true},
	{name: "history", args: []string{"pmderive", "-a", "ARCHIVE"}, keys: "1 + 2\r:quit\r", again: true,
		files: map[string]string{historyFile: "old 1\nold 2\n"}, state: []string{historyFile}},
	{name: "numbers", args: []string{"pminfo", "-L", "-f", "mem.zoneinfo.free"}, again: true, live: true,
		files: map[string]string{numbersFile: "2 0 2147483647\n7 1700000000 gone::zone\n"}, state: []string{numbersFile}},
}

// Files of ours in the home directory.
const (
	historyFile = ".local/state/pmderive/history"
	numbersFile = ".cache/pmtools/pmda/60.32"
)

var failingCalls = []string{"openat", "read", "pread64", "write", "pwrite64", "fsync", "/^rename", "/^mkdir", "/^unlink", "/^link", "mmap", "ftruncate", "getdents64", "/^(new)?fstat", "connect", "flock", "close", "pipe2", "/^clone"}

// A callTest has what commands need, and what they do without a fault.
type callTest struct {
	*testing.T
	places *strings.Replacer
	want   map[string]map[string]string
}

// TestCalls lets system calls of whole commands fail: the n-th of a kind in each thread, or that and all after it. A status of 0 means that
// nothing is missing; else there is a reason, what was there stays, and the next run works. PMTOOLS_RUNS is the number of runs, or all: each
// call of each command once. PMTOOLS_CALLS names the only command.
func TestCalls(t *testing.T) {
	t.Parallel()
	if err := exec.Command("strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true").Run(); err != nil {
		t.Skip("strace cannot trace here: ", err)
	}
	server := pmcdtest.NewServer(world())
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &callTest{t, strings.NewReplacer("ARCHIVE", filepath.Join(demo(t), "demo"), "PROGRAM", command(t, "hello"), "HOST", addr.String()), make(map[string]map[string]string)}
	list := slices.DeleteFunc(slices.Clone(failings), func(f failing) bool { only := os.Getenv("PMTOOLS_CALLS"); return only != "" && only != f.name })
	seed := safefiletest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	done, hit := 0, 0
	defer func() { t.Logf("PMTOOLS_SEED=%d: %d of %d runs had a call that failed", seed, hit, done) }()
	try := func(f *failing, call, when string) bool {
		done++
		injected := c.fails(f, call, failingErrors[r.IntN(len(failingErrors))], when)
		if t.Failed() {
			t.FailNow()
		}
		if injected {
			hit++
		}
		return injected
	}
	if os.Getenv("PMTOOLS_RUNS") == "all" {
		for i := range list {
			for _, call := range list[i].kinds() {
				for n := 1; try(&list[i], call, fmt.Sprint(n)); n++ {
				}
			}
		}
		return
	}
	runs := 24
	if n, err := strconv.Atoi(os.Getenv("PMTOOLS_RUNS")); err == nil {
		runs = n
	}
	for range runs {
		f := &list[r.IntN(len(list))]
		calls := f.kinds()
		try(f, calls[r.IntN(len(calls))], fmt.Sprint(1+r.IntN(12), []string{"", "", "", "+"}[r.IntN(4)]))
	}
}

var failingErrors = []string{"ENOSPC", "EIO", "EMFILE", "EINTR", "EACCES"}

// kinds returns the calls that fail.
func (f *failing) kinds() []string {
	if f.calls != nil {
		return f.calls
	}
	return failingCalls
}

// untried reports whether a fault is left out.
func (f *failing) untried(call, err, when string) bool {
	forever := strings.HasSuffix(when, "+")
	switch {
	case forever && (f.name == "push" || err == "EINTR"): // it would be tried for ever
	case call == "close" && (f.name == "agent" || f.name == "agent script" || forever): // strace leaves the call out, where Linux frees the descriptor: Go waits for ever for the end of a pipe
	case call == "connect" && err == "EINTR": // Linux goes on connecting then, where strace leaves the call out: Go waits for that
	case call == "/^unlink" && (f.name == "junit" || f.name == "plot"): // a temporary file that cannot be removed stays
	case call == "/^unlink" && f.name == "export" && forever: // so does that of the directory's version, which may be another export's
	case f.live && call == "openat" && err == "EACCES": // files that are for others have no values
	case f.name == "local" && call == "openat" && (err == "EIO" || err == "ENOSPC"): // nor has an interface whose file cannot be opened
	default:
		return false
	}
	return true
}

// fails lets a call of a command fail, and reports whether that has come.
func (c *callTest) fails(f *failing, call, err, when string) bool {
	if c.want[f.name] == nil {
		dir := f.prepare(c.T, c.places)
		o := f.run(c.T, dir, c.places, "")
		if c.want[f.name] = f.outcome(c.T, dir, o); o.status != 0 {
			c.Fatalf("%s: status %d without a fault\n%s", f.name, o.status, o.stderr)
		}
	}
	return !f.untried(call, err, when) && f.check(c.T, c.places, fmt.Sprintf("inject=%s:error=%s:when=%s", call, err, when), c.want[f.name])
}

// check runs the command with a fault, and then without, and reports whether the fault has come.
func (f *failing) check(t *testing.T, places *strings.Replacer, fault string, want map[string]string) bool {
	t.Helper()
	dir := f.prepare(t, places)
	files := f.outcome(t, dir, failingOutcome{})
	delete(files, " stdout")
	delete(files, " taken")
	o := f.run(t, dir, places, fault)
	got := f.outcome(t, dir, o)
	failed := func(format string, args ...any) {
		t.Errorf("%s: %s: %s\nstatus %d\n%s", f.name, fault, fmt.Sprintf(format, args...), o.status, o.stderr)
	}
	runtime := strings.Contains(o.stderr, "runtime: ") || strings.Contains(o.stderr, "fatal error: ") // Go's own calls
	switch {
	case o.status == 0 && f.live && (strings.Contains(o.stdout, "Error:") || strings.Contains(o.stdout, "pmLookup") || strings.Contains(o.stdout, "pmNameIndom") || o.stderr != ""):
	case o.status == 0 && f.name == "push" && strings.Contains(fault, "unlink"): // a request that has been acknowledged may stay: the next run sends it once more
	case o.status == 0 && !maps.Equal(f.settled(got, files, want), want):
		failed("no error; %s", differing(got, want))
	case o.status != 0 && o.stderr == "" && !strings.Contains(fault, "=write:") && f.keys == "":
		failed("no reason")
	case strings.Contains(o.stderr, "panic: ") && !runtime:
		failed("a panic")
	}
	for name, old := range files {
		if text, has := got[name]; text != want[name] && (text != old || !has) && f.name != "eval" {
			failed("the file %s is %q", name, text)
		}
	}
	if !f.again && len(got) > 2 {
		return o.injected // what could be recorded stays
	}
	injected := o.injected
	if f.name == "uninstall" && got["derived/a.conf"] == want["derived/a.conf"] {
		return o.injected // what is gone is an error the next time
	}
	if o = f.run(t, dir, places, ""); slices.Contains([]string{"export", "save", "push", "install", "compact"}, f.name) {
		o.stdout = want[" stdout"] // it may have less to do, or the rest of the queue too
	}
	if got = f.outcome(t, dir, o); o.status != 0 || !maps.Equal(got, want) {
		failed("the next run: %s", differing(got, want))
	}
	return injected
}

// settled returns an outcome in which the command's own files are as wanted if they are old.
func (f *failing) settled(got, old, want map[string]string) map[string]string {
	got = maps.Clone(got)
	for _, name := range f.state {
		if got[name] == old[name] {
			got[name] = want[name]
		}
	}
	return got
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

func (f *failing) prepare(t *testing.T, places *strings.Replacer) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f.files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, []byte(places.Replace(text)), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if f.name == "compact" {
		if o := failings[0].run(t, dir, places, ""); o.status != 0 {
			t.Fatal(o.stderr)
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
func (f *failing) run(t *testing.T, dir string, places *strings.Replacer, fault string) failingOutcome {
	t.Helper()
	db := &remotewritetest.Database{}
	srv := httptest.NewServer(db)
	defer srv.Close()
	log := filepath.Join(t.TempDir(), "log")
	args := []string{command(t, f.args[0])}
	for _, a := range f.args[1:] {
		args = append(args, places.Replace(strings.ReplaceAll(a, "URL", srv.URL+"/api/v1/write")))
	}
	if fault != "" {
		call, _, _ := strings.Cut(strings.TrimPrefix(fault, "inject="), ":")
		args = append([]string{"strace", "-f", "-o", log, "-e", "trace=" + call, "-e", fault}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "TZ=UTC", "HOME="+dir)
	if f.keys != "" {
		return f.typed(t, cmd, fault, log)
	}
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
	o := failingOutcome{status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), injected: injected(log)}
	series := db.Series()
	var lines []string
	for name, samples := range series {
		for _, s := range samples {
			lines = append(lines, fmt.Sprintln(name, s))
		}
	}
	slices.Sort(lines)
	o.taken = strings.Join(slices.Compact(lines), "") // one that was sent again is there again
	o.stdout = moments.ReplaceAllString(strings.ReplaceAll(o.stdout, srv.URL, "URL"), "NOW")
	return o
}

// typed runs the command on a terminal, with keys that are there before it asks for them. What the terminal shows is not compared.
func (f *failing) typed(t *testing.T, cmd *exec.Cmd, fault, log string) failingOutcome {
	t.Helper()
	s := &shell{t: t, done: make(chan struct{})}
	cmd.Env = append(cmd.Env, "TERM=dumb")
	s.start(cmd)
	s.keys(f.keys)
	select {
	case <-s.done:
	case <-time.After(40 * time.Second):
		t.Fatalf("%s: %s: the command does not end\n%s", f.name, fault, s.text())
	}
	cmd.Wait() // the status is looked at
	return failingOutcome{status: cmd.ProcessState.ExitCode(), stderr: s.text(), injected: injected(log)}
}

// injected reports whether strace has let a call fail.
func injected(log string) bool {
	text, _ := os.ReadFile(log)
	return bytes.Contains(text, []byte("(INJECTED)"))
}

// moments match times and values of the moment.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z|inst \[\d+ or "\w+::node0"\] value \d+`)

// items returns the whole items of a history, but for those that keys make.
func items(text []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(text) {
		if s := string(line); s != "1 + 2\n" && s != ":quit\n" {
			rest = append(rest, line...)
		}
	}
	return rest
}

// compacted matches the part of a name that differs from run to run.
var compacted = regexp.MustCompile(`compact-[a-z0-9]+`)

// stamps match those of instances in a cache.
var stamps = regexp.MustCompile(`(?m)^(\d+) \d+ `)

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
		if d != nil && d.Name() == ".cache" && f.state == nil { // it may be lost
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && d.Name() != "lock" && !strings.HasPrefix(d.Name(), "hello.log") {
			text, bad := os.ReadFile(path)
			if err = bad; filepath.Ext(name) == ".json" || strings.HasPrefix(name, "rec.") || strings.HasPrefix(name, "out/metrics/") {
				text = nil
			} else if strings.HasPrefix(name, "values/") {
				text, err = mapped(text)
			} else if name == numbersFile {
				text = stamps.ReplaceAll(text, []byte("$1 TIME "))
			} else if name == historyFile {
				text = items(text)
			} else if part := compacted.FindString(name); part != "" {
				if name = strings.Replace(name, part, "compact-ID", 1); files[name] != "" {
					name += " twice"
				}
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
