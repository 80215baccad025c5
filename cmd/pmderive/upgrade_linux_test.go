package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

var upgradeFrom = flag.String("upgrade-from", "", "write test/upgrade/testdata/VERSION with this pmderive, whose version that is")

// A corpus is what a version writes, as it is made. Its commands run in a directory, under the name of another machine.
type corpus struct {
	t       *testing.T
	program string
	dir     string // with the files of the user
	out     string
}

// TestMakeUpgrade makes the files of TestUpgrade with a pmderive that has been kept, on a host without values of it in the files:
//
//	go test ./cmd/pmderive -run TestMakeUpgrade -upgrade-from=/tmp/pmderive-0.2
//
// It needs strace, script and unshare.
func TestMakeUpgrade(t *testing.T) {
	if *upgradeFrom == "" {
		t.Skip("-upgrade-from names no program")
	}
	said, err := exec.Command(*upgradeFrom, "-V").Output()
	version := regexp.MustCompile(`version ([0-9.]+)`).FindStringSubmatch(string(said))
	if err != nil || version == nil {
		t.Fatalf("%q, %v", said, err)
	}
	c := &corpus{t: t, program: *upgradeFrom, dir: t.TempDir(), out: filepath.Join(upgradeDir, version[1])}
	c.do(os.RemoveAll(c.out))
	c.do(os.MkdirAll(filepath.Join(c.out, "exports"), 0o777))
	for _, dir := range []string{"archives", "one", "rec"} {
		c.do(os.Mkdir(filepath.Join(c.dir, dir), 0o777))
	}
	for _, name := range []string{"archives/demo", "archives/labels", "archives/sample", "one/events"} {
		c.do(archivetest.Build(filepath.Join(c.dir, filepath.Dir(name)), filepath.Base(name)))
	}
	for _, x := range upgradeExports {
		c.export(x)
	}
	c.live()
	c.queue()
	c.user()
	c.cache()
	c.do(os.CopyFS(filepath.Join(c.out, "user"), os.DirFS(c.dir)))
	c.answers()
}

func (c *corpus) do(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// boxed returns a command that runs the program on a machine called box, whose file of zones is ours.
func (c *corpus) boxed(args ...string) *exec.Cmd {
	const script = `hostname box && mount --bind "$1" /proc/zoneinfo && shift && exec "$@"`
	zones := filepath.Join(c.t.TempDir(), "zoneinfo")
	c.do(os.WriteFile(zones, []byte(twoZones), 0o666))
	cmd := exec.Command("unshare", append([]string{"--map-root-user", "--uts", "--mount", "sh", "-c", script, "sh", zones}, args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "TERM=xterm")
	return cmd
}

func (c *corpus) run(args ...string) string {
	c.t.Helper()
	cmd := c.boxed(append([]string{c.program}, args...)...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%q: %v\n%s", args, err, text)
	}
	return string(text)
}

// pack writes a directory into a file of the corpus, and removes the directory.
func (c *corpus) pack(dir, name string) {
	c.t.Helper()
	f, err := os.Create(filepath.Join(c.out, name))
	c.do(err)
	w := zip.NewWriter(f)
	c.do(w.AddFS(os.DirFS(dir)))
	c.do(w.Close())
	c.do(f.Close())
	c.do(os.RemoveAll(dir))
}

// export makes the tables of an export, and those that kills leave.
func (c *corpus) export(x upgradeExport) {
	tables := filepath.Join(c.dir, "out")
	make := func() {
		c.do(os.RemoveAll(tables))
		c.run(append(append(x.line("out"), x.first...), x.metrics...)...)
	}
	make()
	if x.compacted {
		c.run("compact", "out")
	}
	if x.killed == nil {
		c.pack(tables, "exports/"+x.name+".zip")
		return
	}
	var seen []string
	for _, call := range []string{"mkdirat", "linkat", "unlinkat", "renameat", "renameat2"} {
		for n := 1; ; n++ {
			make()
			cmd := c.boxed(append([]string{"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call,
				"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n), c.program}, x.killed...)...)
			if cmd.Run() == nil {
				break
			}
			if state := stateOf(c.t, tables); state != "" && !slices.Contains(seen, state) {
				seen = append(seen, state)
				c.pack(tables, fmt.Sprintf("exports/%s-%d.zip", x.name, len(seen)))
			}
		}
	}
	c.do(os.RemoveAll(tables))
}

// stateOf returns what an interrupted command has left, without numbers; "" for nothing.
func stateOf(t *testing.T, dir string) string {
	var names []string
	for name := range contents(t, dir) {
		names = append(names, regexp.MustCompile(`\d{4,}|compact-[0-9a-z]+|records|values`).ReplaceAllString(strings.TrimPrefix(name, dir), "N"))
	}
	if !slices.ContainsFunc(names, func(name string) bool { return regexp.MustCompile(`run-|export-|/\._`).MatchString(name) }) {
		return ""
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "\n")
}

// counter starts a daemon with a counter of squares, and returns its address.
func (c *corpus) counter(first uint64) (addr string) {
	m := pmcdtest.Metric{Name: "q.count", Desc: pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}}
	for n := range uint64(200) {
		m.Answers = append(m.Answers, pmcdtest.Answer{Values: pcp.Values{ID: m.Desc.ID, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{first + n*n}}})
	}
	return c.serve(&pmcdtest.World{Metrics: []pmcdtest.Metric{m}})
}

func (c *corpus) serve(w *pmcdtest.World) (addr string) {
	s := pmcdtest.NewServer(w)
	c.t.Cleanup(func() { s.Close() })
	at, err := s.Listen("tcp", "127.0.0.1:0")
	c.do(err)
	return at.String()
}

// live makes the tables of a daemon.
func (c *corpus) live() {
	c.run("-h", c.counter(0), "export", "-o", "out", "--label", "host=box", "-t", "0.1", "-s", strconv.Itoa(upgradeLive), "q.count")
	c.pack(filepath.Join(c.dir, "out"), "exports/live.zip")
}

// queue makes a queue with requests of two hosts that a killed push has left, some of them differences to one that was sent; and with those of an
// archive. What is in it is written as the version itself sends it.
func (c *corpus) queue() {
	hosts := []string{c.counter(0), c.counter(1000)}
	var asked atomic.Int64
	srv := httptest.NewServer(&remotewritetest.Database{Before: func(w http.ResponseWriter, r *http.Request) bool {
		refused := asked.Add(1) > 3
		if refused {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return refused
	}})
	defer srv.Close()
	queue := filepath.Join(c.dir, "q")
	live := c.boxed(c.program, "-h", hosts[0], "-h", hosts[1], "push", "--to", srv.URL, "--queue", "q", "--resend", "0s", "-t", "0.1", "q.count")
	c.do(live.Start())
	time.Sleep(2 * time.Second)
	c.do(live.Process.Kill())
	_ = live.Wait()
	dead := c.boxed(c.program, "-a", "archives/demo", "push", "--to", srv.URL, "--queue", "q", "kernel.all.load", "mem")
	c.do(dead.Start())
	time.Sleep(time.Second)
	c.do(dead.Process.Signal(os.Interrupt))
	_ = dead.Wait()
	copied := filepath.Join(c.t.TempDir(), "q")
	c.do(os.CopyFS(copied, os.DirFS(queue)))
	c.pack(queue, "queue.zip")
	d, url := database(c.t)
	c.run(append(upgradePush(url), "--queue", copied)...)
	c.do(os.WriteFile(filepath.Join(c.out, "queue.txt"), []byte(samplesOf(d)), 0o666))
}

// user makes the files that a user has: definitions, reports, cases, history, records.
func (c *corpus) user() {
	for name, text := range upgradeFiles {
		c.do(os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o666))
	}
	c.run("-a", "archives/demo", "m.used = 100 * mem.util.used / mem.physmem", "m.used(oneline) = memory in use", ":save saved.conf")
	c.run("-a", "archives/demo", "--extended", "m.top = topn(1, rate(disk.dev.total))", ":save! extended.conf")
	c.run("-a", "archives/demo", "install", "--user", "reads.conf")
	c.run("test", "--record", "reads.cases")
	c.run("-a", "archives/demo", "eval", "-t", "1min", "kernel.all.load", "m.used", "-c", "saved.conf", "--archive-out", "derived")
	prompt := c.boxed("script", "-qec", c.program+" -h "+c.serve(pmcdtest.Sample()), "/dev/null")
	keys, err := prompt.StdinPipe()
	c.do(err)
	c.do(prompt.Start())
	for _, item := range []string{"sample.bin", ":record -s 2 -t 0.5 rec/session sample.bin", "sum((sample.bin", "))", "sample.bin * 2", ":quit"} {
		time.Sleep(time.Second)
		_, err := keys.Write([]byte(item + "\r"))
		c.do(err)
	}
	c.do(prompt.Wait())
}

// cache makes the numbers that collectors keep.
func (c *corpus) cache() { c.run("-L", "eval", "mem.zoneinfo.free") }

// answers writes what the version says of the files.
func (c *corpus) answers() {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s", c.run("-V"))
	for _, line := range upgradeLines {
		words, err := golden.Words(line)
		c.do(err)
		cmd := c.boxed(append([]string{c.program}, words[1:]...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		c.do(err)
		b.WriteString("$ " + line + "\n" + strings.TrimSuffix("> "+strings.ReplaceAll(string(out), "\n", "\n> "), "> "))
	}
	c.do(os.WriteFile(filepath.Join(c.out, "answers"), b.Bytes(), 0o666))
}
