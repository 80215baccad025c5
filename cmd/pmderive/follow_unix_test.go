//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// A growingFleet is a directory with an archive for each host, which all grow.
type growingFleet struct {
	t       *testing.T
	dir     string
	writers []*archive.Writer
	records int
}

const fleetInstances = 20

func (g *growingFleet) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func newGrowingFleet(t *testing.T, hosts int) *growingFleet {
	g := &growingFleet{t: t, dir: t.TempDir()}
	for i := range hosts {
		host := fmt.Sprintf("host%04d", i)
		g.must(os.Mkdir(filepath.Join(g.dir, host), 0o777))
		w, err := archive.Create(filepath.Join(g.dir, host, "20231114.22.13"), &archive.WriterOptions{Host: host})
		g.must(err)
		var insts []pcp.Instance
		for n := range int32(fleetInstances) {
			insts = append(insts, pcp.Instance{ID: n, Name: fmt.Sprint("disk", n)})
		}
		g.must(w.AddMetric(pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: pcp.NewInDom(60, 1), Sem: pcp.Counter}, "disk.count"))
		g.must(w.SetInDom(pcp.Timestamp{Sec: 1700000000}, pcp.NewInDom(60, 1), insts))
		g.writers = append(g.writers, w)
	}
	return g
}

// put writes a record of each host.
func (g *growingFleet) put() {
	for i, w := range g.writers {
		v := pcp.Values{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64}
		for n := range int32(fleetInstances) {
			v.Insts, v.Words = append(v.Insts, n), append(v.Words, uint64(g.records*1000+i))
		}
		g.must(w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(g.records)}, Sets: []pcp.Values{v}}))
		g.must(w.Flush())
	}
	g.records++
}

// exported returns the number of values that the manifests of an export count.
func (g *growingFleet) exported(out string) (values int64) {
	files, _ := filepath.Glob(filepath.Join(out, "_pmtools", "host=*", "_pmtools.json"))
	for _, file := range files {
		var m struct{ Exports []struct{ Values int64 } }
		text, err := os.ReadFile(file)
		g.must(err)
		g.must(json.Unmarshal(text, &m))
		for _, u := range m.Exports {
			values += u.Values
		}
	}
	return values
}

// TestExportFollowsHosts follows the growing archives of many hosts with 64 descriptors, is killed and ended, and has
// all values once. PMTOOLS_RUNS is the number of hosts; the memory is bounded.
func TestExportFollowsHosts(t *testing.T) {
	hosts, pause := 30, 50*time.Millisecond
	if n, err := strconv.Atoi(os.Getenv("PMTOOLS_RUNS")); err == nil {
		hosts, pause = n, time.Second
	}
	g, out := newGrowingFleet(t, hosts), t.TempDir()
	follow := func(args string) *exec.Cmd {
		c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n 64; exec pmderive -a %s export -o %s --follow %s", g.dir, out, args))
		c.Stderr = os.Stderr
		g.must(c.Start())
		return c
	}
	put := func(rounds int) {
		for range rounds {
			g.put()
			time.Sleep(pause)
		}
	}
	put(1)
	for _, s := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		before := g.exported(out)
		c := follow("-t 0.1")
		put(4)
		for end := time.Now().Add(time.Minute); g.exported(out) == before && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		g.must(c.Process.Signal(s))
		if err := c.Wait(); s == syscall.SIGTERM && err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	}
	begun := time.Now()
	c := follow(fmt.Sprintf("-t %v --idle %v", 6*pause.Seconds(), 20*pause))
	put(20)
	peak := peakMemory(c.Process.Pid)
	if err := c.Wait(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	g.check(c, out, peak, time.Since(begun))
}

func (g *growingFleet) check(c *exec.Cmd, out string, peak int, took time.Duration) {
	if got, want := g.exported(out), int64(g.records*len(g.writers)*fleetInstances); got != want {
		g.t.Errorf("%d values, want %d", got, want)
	}
	g.t.Logf("%d hosts, %d records each in %v: %d MB, %v", len(g.writers), g.records, took.Round(time.Second), peak>>10, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	info, _ := debug.ReadBuildInfo()
	race := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) // its detector takes memory too
	if most := 64<<10 + 30*len(g.writers); peak > most && !race {
		g.t.Errorf("%d KB of memory, want at most %d", peak, most)
	}
}

// peakMemory returns the most memory that a process has had, in KB; 0 where Linux does not tell.
func peakMemory(pid int) (peak int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := strings.Cut(string(text), "VmHWM:"); ok {
		fmt.Sscan(rest, &peak)
	}
	return peak
}
