package record_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/record"
	_ "pmtools/test/env"
)

// inside opens the collectors inside the program, for any host.
func inside(context.Context, string) (pmapi.Source, error) { return builtin.Default(nil), nil }

// bin has the metrics of a host that the tests record.
func bin(host string) record.Host {
	return record.Host{Name: host, Metrics: []string{"sample.bin"}, Interval: 10 * time.Millisecond}
}

// fakeLogger writes a shell script that takes pmlogger's place and returns its path.
func fakeLogger(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	name := filepath.Join(t.TempDir(), "pmlogger")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// untilQuit is a script that notes its arguments and its input, until that is Q, in files
// beside its archive.
const untilQuit = `for name; do :; done
echo "$@" >$name.args
while read -r line <&3; do echo "$line" >>$name.told; case $line in Q*) exit 0;; esac; done
echo gone >>$name.told`

// read returns a file's text.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// await waits until a file has a text.
func await(t *testing.T, name, want string) {
	t.Helper()
	for range 3000 {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s has not %q", name, want)
}

// TestLogger checks pmlogger's arguments and requests, and the files of the session.
func TestLogger(t *testing.T) {
	dir := t.TempDir()
	cfg := &record.Config{Folio: filepath.Join(dir, "my folio"), Creator: "mytool", Replay: "play it\n", Logger: fakeLogger(t, untilQuit), Args: []string{"-r"}}
	first, second := bin("vm"), bin("vm")
	first.Args, second.Default = []string{"-T2sec"}, true
	second.Interval, second.Config = 0, "log advisory off { sample.long }\n"
	s, err := record.Start(t.Context(), cfg, first, second)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Recordings[0]
	name := filepath.Base(r.Archive)
	base := strings.TrimSuffix(name, ".vm")
	if len(base) != 6 || r.PID == 0 || filepath.Base(s.Recordings[1].Archive) != base+"a.vm" {
		t.Errorf("%+v", r)
	}
	want := fmt.Sprintf("-r -T2sec -x 3 -h vm -l %s.log -c %[1]s.config %[1]s\n", name)
	if err := s.Recordings[1].Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.ShowStatus("-geometry 1x1"); err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil || r.Err() != nil {
		t.Errorf("%v, %v", err, r.Err())
	}
	if got := read(t, r.Archive+".args"); got != want {
		t.Errorf("arguments %s, want %s", got, want)
	}
	if got := read(t, r.Archive+".told"); got != "V0\nF"+cfg.Folio+"\nPmytool\nR\n?-geometry 1x1\nQ\n" {
		t.Errorf("told %q", got)
	}
	if got := read(t, r.Archive+".config"); got != "log mandatory on every 10 milliseconds {\n\tsample.bin\n}\n" {
		t.Errorf("configuration %q", got)
	}
	if got := read(t, s.Recordings[1].Archive+".config"); got != "log mandatory on once {\n\tsample.bin\n}\nlog advisory off { sample.long }\n" {
		t.Errorf("configuration %q", got)
	}
	if got := read(t, filepath.Join(dir, base)); got != "play it\n" {
		t.Errorf("replay configuration %q", got)
	}
	folio := regexp.MustCompile(`^PCPFolio\nVersion: 1\n# use pmafm\(1\) to process this PCP Archive Folio\n#\nCreated: on \S+ at .{24}\nCreator: mytool ` + base +
		`\n#               Host                    Basename\n#\nArchive:        vm                      ` + base + `a\.vm\nArchive:        vm                      ` + base + `\.vm\n$`)
	if got := read(t, cfg.Folio); !folio.MatchString(got) {
		t.Errorf("folio %s", got)
	}
	if err := r.ShowStatus(""); !errors.Is(err, pmerr.IPC) {
		t.Errorf("after the end: %v", err)
	}
}

// TestLoggerEnds: a pmlogger that dies, cannot be started, does not listen, or goes on alone.
func TestLoggerEnds(t *testing.T) {
	start := func(script string) *record.Recording {
		t.Helper()
		s, err := record.Start(t.Context(), &record.Config{Folio: filepath.Join(t.TempDir(), "f"), Creator: "c", Logger: fakeLogger(t, script)}, bin("vm"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Recordings[0]
	}
	r := start("echo no such host >&2; exit 3")
	<-r.Done()
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "exit status 3: no such host") {
		t.Errorf("died: %v", err)
	}
	if err := r.Stop(t.Context()); err == nil {
		t.Error("stopped one that has died")
	}
	r = start(`exec 3<&-; while [ $# -gt 1 ]; do case $1 in -l) echo "cannot do this" >$2; echo "Log finished now" >>$2;; esac; shift; done; exit 1`)
	<-r.Done()
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "cannot do this") {
		t.Errorf("with a log: %v", err)
	}
	r = start("exec sleep 2")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := r.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("does not listen: %v", err)
	}
	r = start(untilQuit)
	if err := r.Detach(); err != nil {
		t.Error(err)
	}
	<-r.Done()
	await(t, r.Archive+".told", "D\ngone\n")
	if err := r.Detach(); r.Err() != nil || !errors.Is(err, pmerr.IPC) {
		t.Errorf("detached: %v, %v", r.Err(), err)
	}
}

// several matches a status of more than one sample.
var several = regexp.MustCompile(`\b([2-9]|\d\d+) samples in `)

// TestOwn records without pmlogger.
func TestOwn(t *testing.T) {
	cfg := &record.Config{Folio: filepath.Join(t.TempDir(), "f"), Creator: "c", Open: inside, Version: 2}
	once := bin("pcps://ann@h?user=ann&pass=SECRET/x")
	once.Interval = 0
	s, err := record.Start(t.Context(), cfg, bin("vm"), once)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Recordings[0]
	await(t, r.LogFile, "Recording the host \"vm\"")
	if err := r.ShowStatus(""); err != nil {
		t.Error(err)
	}
	await(t, r.LogFile, " samples in ")
	if err := r.Detach(); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("detach: %v", err)
	}
	for range 600 { // until it reports samples
		if err := r.ShowStatus(""); err != nil {
			t.Error(err)
		}
		if text, _ := os.ReadFile(r.LogFile); several.Match(text) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if got := recorded(t, r.Archive, "sample.bin"); len(got) < 2 {
		t.Errorf("%d records", len(got))
	}
	if got := recorded(t, s.Recordings[1].Archive, "sample.bin"); len(got) != 1 {
		t.Errorf("once: %d records", len(got))
	}
	if text := read(t, cfg.Folio) + s.Recordings[1].Archive + s.Recordings[1].Host; strings.Contains(text, "SECRET") {
		t.Errorf("the password is shown: %s", text)
	}
}

// TestStartErrors: after an error nothing is left.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o777); err != nil {
		t.Fatal(err)
	}
	second := bin("b")
	second.Default = true
	fails := func(ctx context.Context, host string) (pmapi.Source, error) {
		if host == "down" {
			return nil, pmerr.Timeout
		}
		return inside(ctx, host)
	}
	change := func(f func(h *record.Host)) []record.Host {
		h := bin("vm")
		f(&h)
		return []record.Host{h}
	}
	for name, c := range map[string]struct {
		cfg   record.Config
		hosts []record.Host
		want  error
	}{
		"folio exists":       {record.Config{Folio: "there", Open: inside}, []record.Host{bin("vm")}, fs.ErrExist},
		"folio is directory": {record.Config{Folio: "directory", Open: inside}, []record.Host{bin("vm")}, fs.ErrExist},
		"no directory":       {record.Config{Folio: "no/such", Open: inside}, []record.Host{bin("vm")}, fs.ErrNotExist},
		"newline":            {record.Config{Folio: "a\nb", Open: inside}, []record.Host{bin("vm")}, pmerr.EINVAL},
		"no hosts":           {record.Config{Folio: "f", Open: inside}, nil, pmerr.EINVAL},
		"two default hosts":  {record.Config{Folio: "f", Open: inside}, []record.Host{second, second}, pmerr.EINVAL},
		"blank in a host":    {record.Config{Folio: "f", Open: inside}, []record.Host{bin("v m")}, pmerr.EINVAL},
		"no host name":       {record.Config{Folio: "f", Open: inside}, []record.Host{bin("")}, pmerr.EINVAL},
		"no metrics":         {record.Config{Folio: "f", Open: inside}, change(func(h *record.Host) { h.Metrics = nil }), pmerr.EINVAL},
		"no metric's name":   {record.Config{Folio: "f", Open: inside}, change(func(h *record.Host) { h.Metrics[0] = "a } x" }), pmerr.EINVAL},
		"tiny interval":      {record.Config{Folio: "f", Open: inside}, change(func(h *record.Host) { h.Interval = 1 }), pmerr.EINVAL},
		"no way to record":   {record.Config{Folio: "f"}, []record.Host{bin("vm")}, pmerr.EINVAL},
		"for pmlogger":       {record.Config{Folio: "f", Open: inside}, change(func(h *record.Host) { h.Config = "x" }), pmerr.EINVAL},
		"password":           {record.Config{Folio: "f", Logger: "/bin/true"}, []record.Host{bin("h?user=a&pass=SECRET")}, pmerr.EINVAL},
		"no pmlogger":        {record.Config{Folio: "f", Logger: "/no/such/pmlogger"}, []record.Host{bin("vm")}, fs.ErrNotExist},
		"no such metric":     {record.Config{Folio: "f", Open: inside}, []record.Host{bin("a"), {Name: "b", Metrics: []string{"no.such"}}}, pmerr.Name},
		"host is down":       {record.Config{Folio: "f", Open: fails}, []record.Host{bin("a"), bin("down")}, pmerr.Timeout},
	} {
		c.cfg.Folio, c.cfg.Creator = filepath.Join(dir, c.cfg.Folio), "test"
		_, err := record.Start(t.Context(), &c.cfg, c.hosts...)
		if !errors.Is(err, c.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
			t.Fatalf("%s: left %v, %v", name, left, err)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	cfg := &record.Config{
		Folio: filepath.Join(dir, "folio"), Creator: "example",
		Open: func(context.Context, string) (pmapi.Source, error) { return builtin.Default(nil), nil },
	}
	session, err := record.Start(ctx, cfg, record.Host{Name: "localhost", Metrics: []string{"sample.long"}, Interval: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := session.Stop(ctx); err != nil {
		fmt.Println(err)
		return
	}
	src, err := pmapi.OpenArchive(ctx, session.Recordings[0].Archive, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	values, err := src.Lookup(ctx, []string{"sample.long.one"})
	fmt.Println(values[0].Value, err)
	// Output: 29.0.10 <nil>
}
