// Package push_test sends values to real time series databases, Debian's victoria-metrics and prometheus in
// the reference's root, and compares what they then have with what the reference reads.
package push_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// A point is a sample: its time in milliseconds since 1970, and its value.
type point struct {
	ms    int64
	value float64
}

// A kind is a database that takes remote write.
type kind struct {
	program string
	args    func(dir, addr string) []string
	read    func(t *testing.T, base, match string) map[string][]point
	count   *regexp.Regexp // how many samples have come, in its own metrics
	flush   time.Duration  // how long what it has acknowledged may be in memory only, by default; such a server ignores remote write 2.0
}

var kinds = []kind{
	{"victoria-metrics", func(dir, addr string) []string {
		return []string{"-httpListenAddr=" + addr, "-storageDataPath=" + dir, "-retentionPeriod=100y", "-dedup.minScrapeInterval=1ms",
			"-inmemoryDataFlushInterval=1s", "-search.maxUniqueTimeseries=100000"}
	}, exported, regexp.MustCompile(`(?m)^vm_rows_inserted_total\{type="promremotewrite"\} (\d+)`), 5 * time.Second},
	{"prometheus", func(dir, addr string) []string {
		return []string{"--config.file=" + dir + ".yml", "--storage.tsdb.path=" + dir, "--web.listen-address=" + addr, "--web.enable-remote-write-receiver",
			"--storage.tsdb.retention.time=100y"}
	}, queried, regexp.MustCompile(`(?m)^prometheus_tsdb_head_samples_appended_total\{type="float"\} (\S+)`), 0},
}

// A database is a server, which may be killed and started again.
type database struct {
	kind
	cmd  []string
	base string // of its URLs
	run  *exec.Cmd
	log  bytes.Buffer
}

// newDatabase starts a server, or skips the test.
func newDatabase(t *testing.T, k kind, root string) *database {
	program := filepath.Join(root, "usr/bin", k.program)
	if _, err := os.Stat(program); err != nil {
		t.Skipf("the root has no %s (peer-up installs it where it can)", k.program)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(dir+".yml", []byte("global: {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := &database{kind: k, base: "http://" + l.Addr().String(), cmd: append(append(harness.Loader(t, root), program), k.args(dir, l.Addr().String())...)}
	d.start(t)
	t.Cleanup(d.kill)
	return d
}

// start starts the server and waits until it answers.
func (d *database) start(t *testing.T) {
	d.run = exec.Command(d.cmd[0], d.cmd[1:]...)
	d.run.Stdout, d.run.Stderr = &d.log, &d.log
	if err := d.run.Start(); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if res, err := http.Get(d.base + "/-/ready"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	d.kill()
	t.Fatalf("%s does not start:\n%s", d.program, d.log.Bytes())
}

// kill kills the server, which has no time to write anything.
func (d *database) kill() {
	_ = d.run.Process.Kill() // it may have ended
	_ = d.run.Wait()
}

// await waits until so many samples have come.
func (d *database) await(t *testing.T, n float64) {
	for range 300 {
		if m := d.count.FindSubmatch(get(t, d.base+"/metrics", nil)); m != nil {
			if f, err := strconv.ParseFloat(string(m[1]), 64); err == nil && f >= n {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s has not got %v samples", d.program, n)
}

// get returns the answer to a query, or that without a form.
func get(t *testing.T, base string, form url.Values) []byte {
	res, err := http.Get(base + "?" + form.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s?%s: %s, %v\n%.500s", base, form.Encode(), res.Status, err, text)
	}
	return text
}

// key returns a metric with its instance.
func key(labels map[string]string) string {
	if labels["value"] != "" {
		return labels["__name__"] + "=" + labels["value"]
	}
	return labels["__name__"] + "[" + labels["instance"] + "]"
}

// exported returns what VictoriaMetrics has. Otherwise it would show that some seconds later.
func exported(t *testing.T, base, match string) map[string][]point {
	get(t, base+"/internal/force_flush", nil)
	out := make(map[string][]point)
	for d := json.NewDecoder(bytes.NewReader(get(t, base+"/api/v1/export", url.Values{"match[]": {match}}))); ; {
		var s struct {
			Metric     map[string]string
			Values     []float64
			Timestamps []int64
		}
		if err := d.Decode(&s); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		for i, v := range s.Values {
			out[key(s.Metric)] = append(out[key(s.Metric)], point{s.Timestamps[i], v})
		}
	}
}

// queried returns what Prometheus has.
func queried(t *testing.T, base, match string) map[string][]point {
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.Unmarshal(get(t, base+"/api/v1/query", url.Values{"query": {match + "[50y]"}}), &answer); err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]point)
	for _, s := range answer.Data.Result {
		for _, v := range s.Values {
			f, err := strconv.ParseFloat(v[1].(string), 64)
			if err != nil {
				t.Fatal(err)
			}
			out[key(s.Metric)] = append(out[key(s.Metric)], point{int64(math.Round(v[0].(float64) * 1000)), f})
		}
	}
	return out
}

// metrics are those that are pushed: their series, and the factor to the base unit.
var metrics = []struct {
	name, series string
	factor       float64
}{
	{"kernel.all.load", "kernel_all_load", 1},
	{"kernel.all.cpu.user", "kernel_all_cpu_user_seconds_total", 0.001},
	{"disk.dev.read", "disk_dev_read_total", 1},
	{"disk.dev.read_bytes", "disk_dev_read_bytes_total", 1024},
	{"mem.util.used", "mem_util_used_bytes", 1024},
	{"network.interface.in.bytes", "network_interface_in_bytes_total", 1},
	{"kernel.uname.release", "kernel_uname_release_info", 1},
	{"hinv.ncpu", "hinv_ncpu", 1},
}

// TestArchives: archives of 2018 are in the database as the reference reads them: the same times, instances and
// values, each once.
func TestArchives(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	for _, k := range kinds {
		t.Run(k.program, func(t *testing.T) {
			for _, name := range []string{"20180416", "20180102", "20180606"} {
				d := newDatabase(t, k, root)
				base := filepath.Join(root, "var/lib/pcp/testsuite/archives", name)
				dumped, err := theirs.Run(harness.Command{Args: []string{"pmlogdump", "-Z", "UTC", base}}, root)
				if err != nil || dumped.Status != 0 {
					t.Fatalf("%s: %v, %s", base, err, dumped.Stderr)
				}
				want, n := recorded(t, dumped.Stdout)
				var names []string
				for _, m := range metrics {
					if slices.ContainsFunc(slices.Collect(keys(want)), func(k string) bool { return strings.HasPrefix(k, m.series) }) {
						names = append(names, m.name)
					}
				}
				o, err := ours.Run(harness.Command{Args: append([]string{"pmderive", "-a", base, "push", "--to", d.base + "/api/v1/write"}, names...)}, root)
				if said := fmt.Sprintf("%s/api/v1/write: %d samples sent\n", d.base, n); err != nil {
					t.Errorf("%s: %v, status %d, %s%swant %s", name, err, o.Status, o.Stderr, o.Stdout, said)
				} else if o.Status != 0 || n < 50 || !strings.HasPrefix(string(o.Stdout), strings.TrimSuffix(said, "\n")) {
					t.Errorf("%s: %v, status %d, %s%swant %s", name, err, o.Status, o.Stderr, o.Stdout, said)
				}
				got := settled(t, d, `{host!=""}`, n)
				compare(t, name, got, want)
				t.Logf("%s: %d samples of %d series", name, n, len(want))
				d.kill()
			}
		})
	}
}

// keys returns the keys of a map.
func keys(m map[string][]point) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// settled returns what a database has as soon as it shows so many samples, or after a while: to read
// them takes seconds itself.
func settled(t *testing.T, d *database, match string, n int) (got map[string][]point) {
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if got = d.read(t, d.base, match); total(got) >= n || time.Since(begun) > 30*time.Second {
			return got
		}
	}
}

// total returns how many samples there are.
func total(m map[string][]point) (n int) {
	for _, list := range m {
		n += len(list)
	}
	return n
}

// compare compares samples; the times of want are those of the day.
func compare(t *testing.T, name string, got, want map[string][]point) {
	const day = 24 * 60 * 60 * 1000
	for k, list := range want {
		have := got[k]
		slices.SortFunc(have, func(a, b point) int { return int(a.ms - b.ms) })
		if len(have) != len(list) {
			t.Errorf("%s: %s has %d samples, not %d", name, k, len(have), len(list))
			continue
		}
		for i, w := range list {
			// pmlogdump prints 8 digits of a float, and VictoriaMetrics keeps 15 of a double.
			if g := have[i]; g.ms%day != w.ms || math.Abs(g.value-w.value) > 1e-7*math.Abs(w.value) || w.value == math.Trunc(w.value) && w.value < 1e15 && math.Abs(g.value-w.value) > 1e-6 {
				t.Errorf("%s: %s at %d: %v, not %v at %d", name, k, g.ms, g.value, w.value, w.ms)
				break
			}
		}
	}
	for k := range got {
		if want[k] == nil {
			t.Errorf("%s: the database has %s", name, k)
		}
	}
}

var (
	recordLine = regexp.MustCompile(`^(\d\d):(\d\d):(\d\d)\.(\d{3})\d* +\d+ metrics?$`)
	metricLine = regexp.MustCompile(`^    \d+\.\d+\.\d+ \(([^)]*)\):(?: value (.*))?$`)
	instLine   = regexp.MustCompile(`^        inst \[\d+ or "(.*)"\] value (.*)$`)
)

// recorded reads what pmlogdump says of the metrics, and how many values there are.
func recorded(t *testing.T, dump []byte) (map[string][]point, int) {
	want, n, metric, at := make(map[string][]point), 0, -1, int64(0)
	add := func(instance, text string) {
		m := metrics[metric]
		k, v := m.series+"["+instance+"]", 1.0
		if strings.HasPrefix(text, `"`) {
			k = m.series + "=" + strings.Trim(text, `"`)
		} else {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			v = f * m.factor
		}
		want[k] = append(want[k], point{at, v})
		n++
	}
	for s := bufio.NewScanner(bytes.NewReader(dump)); s.Scan(); {
		if p := recordLine.FindStringSubmatch(s.Text()); p != nil {
			at = 0
			for i, unit := range []int64{3_600_000, 60_000, 1000, 1} {
				x, _ := strconv.ParseInt(p[i+1], 10, 64) // digits
				at += x * unit
			}
			metric = -1
		} else if p := metricLine.FindStringSubmatch(s.Text()); p != nil {
			metric = -1
			for i, m := range metrics {
				if slices.Contains(strings.Split(p[1], " or "), m.name) || p[1] == m.name {
					metric = i
				}
			}
			if metric >= 0 && p[2] != "" {
				add("", p[2])
			}
		} else if p := instLine.FindStringSubmatch(s.Text()); p != nil && metric >= 0 {
			add(p[1], p[2])
		}
	}
	return want, n
}

// TestKilled: a database is killed and started again while 10,000 series a second come, for PMTOOLS_RUNS
// seconds, or 10: in the third second and then every 15. Every sample is there, and once. A database that keeps what it has
// acknowledged in memory for a time may not have what it had acknowledged again after one kill, within that time before the next one.
func TestKilled(t *testing.T) {
	ours, _, root := harness.Setup(t)
	const series = 10_000
	rounds := harness.Number("PMTOOLS_RUNS", 10)
	for _, k := range kinds {
		t.Run(k.program, func(t *testing.T) {
			d := newDatabase(t, k, root)
			w := newWitness(t, d)
			push := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-h", daemon(t, series), "push", "--to", w.URL+"/api/v1/write",
				"-t", "1s", "-s", strconv.Itoa(rounds), "load.many")
			push.Env = append(os.Environ(), "PCP_CONF="+root+"/etc/pcp.conf")
			var out, said bytes.Buffer
			push.Stdout, push.Stderr = &out, &said
			if err := push.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if t.Failed() {
					t.Logf("%s\n%.3000s", said.Bytes(), d.log.Bytes())
				}
			}()
			const apart = 15 * time.Second // between two kills
			restarted := time.Time{}
			for range 10 * (60 + 2*rounds) {
				time.Sleep(100 * time.Millisecond)
				n := w.rounds()
				if n > rounds-5 { // a command that has ended sends nothing again
					break
				}
				if n >= 3 && time.Since(restarted) > apart {
					d.kill()
					w.kills = append(w.kills, time.Now())
					time.Sleep(1500 * time.Millisecond) // a round comes meanwhile
					d.start(t)
					restarted = time.Now()
				}
			}
			if err := push.Wait(); err != nil {
				t.Fatalf("%v: %s", err, said.Bytes())
			}
			if want := fmt.Sprintf("%s/api/v1/write: %d samples sent\n", w.URL, series*rounds+rounds); out.String() != want { // with those of up
				t.Errorf("%swant %s", out.Bytes(), want)
			}
			if !strings.Contains(said.String(), "answers again") {
				t.Errorf("%swant a line that the database answers again", said.Bytes())
			}
			got := settled(t, d, `{__name__="load_many"}`, series*rounds)
			forgotten, longest := 0, time.Duration(0)
			for k, times := range w.took {
				if len(times) != rounds {
					t.Fatalf("%d samples of %s were acknowledged, not %d", len(times), k, rounds)
				}
				for _, p := range got[k] {
					if times[p.ms] == nil {
						t.Fatalf("%s has a sample at %d twice, or one that was not sent", k, p.ms)
					}
					delete(times, p.ms)
				}
				for ms, acknowledged := range times {
					f := w.fate(acknowledged)
					if f.ours {
						t.Fatalf("%s has no sample at %d, which was acknowledged %v before a kill, and not again after it", k, ms, f.held)
					}
					forgotten++
					longest = max(longest, f.held)
				}
			}
			if n := total(got) + forgotten; n != series*rounds || len(got) != series || len(w.kills) == 0 {
				t.Errorf("%d samples of %d series after %d kills, not %d of %d", n, len(got), len(w.kills), series*rounds, series)
			}
			if forgotten > 0 {
				t.Logf("%s has forgotten %d samples, which it had for up to %v before a kill or the end", d.program, forgotten, longest)
			}
			if longest > d.flush {
				t.Errorf("%s has lost samples that it had for longer than %v", d.program, d.flush)
			}
			t.Logf("killed %d times\n%s%s", len(w.kills), said.Bytes(), out.Bytes())
		})
	}
}

// daemon starts a daemon with a metric of so many instances.
func daemon(t *testing.T, n int) string {
	d := pcp.NewInDom(60, 1)
	v := pcp.Values{}
	var names []pcp.Instance
	for i := range n {
		v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, uint64(i))
		names = append(names, pcp.Instance{ID: int32(i), Name: "i" + strconv.Itoa(i)})
	}
	s := pmcdtest.NewServer(&pmcdtest.World{
		Metrics: []pmcdtest.Metric{{Name: "load.many", Desc: pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: d, Sem: pcp.Instant}, Values: v}},
		InDoms:  []pmcdtest.InDom{{ID: d, Instances: names}},
	})
	t.Cleanup(func() { s.Close() })
	addr, err := s.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return addr.String()
}
