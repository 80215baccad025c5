package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/clitest"
	"pmtools/internal/remotewritetest"
	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/remotewrite"
)

// database starts a database.
func database(t *testing.T) (*remotewritetest.Database, string) {
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	t.Cleanup(srv.Close)
	return d, srv.URL
}

// stored returns the series of a database as lines, each with its first and last sample.
func stored(d *remotewritetest.Database) (list []string) {
	for labels, s := range d.Series() {
		list = append(list, fmt.Sprintf("%s: %d, %d=%v to %d=%v", labels, len(s), s[0].MS, s[0].Value, s[len(s)-1].MS, s[len(s)-1].Value))
	}
	slices.Sort(list)
	return list
}

// TestPushArchive: what the database gets of an archive.
func TestPushArchive(t *testing.T) {
	for _, tt := range []struct {
		line   string
		out    string // behind the URL
		status int
		want   []string
	}{
		{"--label env=x disk.dev.total", ": 120 samples sent\n", 0, []string{
			`__name__="disk_dev_total",agent="linux",device_type="block",env="x",host="demo",hostname="demo",indom="60.1",instance="nvme0n1",medium="flash",part="disk": 60, 1700000000000=1.40016e+06 to 1700000590000=1.454145e+06`,
			`__name__="disk_dev_total",agent="linux",device_type="block",env="x",host="demo",hostname="demo",indom="60.1",instance="sda",medium="rotating",part="disk": 60, 1700000000000=200600 to 1700000590000=209000`,
		}},
		{"-t 1min -s 3 --label host=web mem.physmem up=kernel.all.load>0", ": 12 samples sent\n", 0, []string{
			`__name__="mem_physmem_bytes",agent="linux",host="web",hostname="demo",part="memory": 3, 1700000000000=1.7179869184e+10 to 1700000120000=1.7179869184e+10`,
			`__name__="up",agent="linux",host="web",hostname="demo",indom="60.2",instance="1 minute": 3, 1700000000000=1 to 1700000120000=1`,
			`__name__="up",agent="linux",host="web",hostname="demo",indom="60.2",instance="15 minute": 3, 1700000000000=1 to 1700000120000=1`,
			`__name__="up",agent="linux",host="web",hostname="demo",indom="60.2",instance="5 minute": 3, 1700000000000=1 to 1700000120000=1`,
		}},
		{"-s 1 kernel.uname.release", ": 1 samples sent\n", 0, []string{
			`__name__="kernel_uname_release_info",agent="linux",host="demo",hostname="demo",part="kernel",value="6.12.0-demo": 1, 1700000000000=1 to 1700000000000=1`,
		}},
		{"--extended -t 2min -s 3 busy=sum(rate(disk.dev.total))by(medium,hostname) mean=avg_over(rate(disk.dev.total),4min)", ": 12 samples sent\n", 0, []string{
			`__name__="busy",host="demo",hostname="demo",indom="511.3537882",instance="flash,demo",medium="flash": 3, 1700000120000=99.125 to 1700000360000=94.04166666666667`,
			`__name__="busy",host="demo",hostname="demo",indom="511.3537882",instance="rotating,demo",medium="rotating": 3, 1700000120000=13.2 to 1700000360000=14.4`,
			`__name__="mean",agent="linux",device_type="block",host="demo",hostname="demo",indom="60.1",instance="nvme0n1",medium="flash": 3, 1700000120000=99.125 to 1700000360000=88.95833333333334`,
			`__name__="mean",agent="linux",device_type="block",host="demo",hostname="demo",indom="60.1",instance="sda",medium="rotating": 3, 1700000120000=13.2 to 1700000360000=14.600000000000001`,
		}},
		{"-s 2 -t 0.0001 hinv.ncpu", ": 1 samples sent, 1 left out, not later than the one before\n", 0, []string{
			`__name__="hinv_ncpu",agent="linux",host="demo",hostname="demo",part="hardware": 1, 1700000000000=4 to 1700000000000=4`,
		}},
	} {
		d, url := database(t)
		args := append([]string{"-a", archivetest.Path(t, "demo"), "push", "--to", url}, strings.Fields(tt.line)...)
		got := clitest.RunWith("pmderive", newCommand, "", args, nil)
		if got.Status != tt.status || got.Stdout+got.Stderr != url+tt.out {
			t.Errorf("%s: status %d, %q", tt.line, got.Status, got.Stdout+got.Stderr)
		}
		if diff := cmp.Diff(stored(d), tt.want); diff != "" {
			t.Errorf("%s:\n%s", tt.line, diff)
		}
	}
}

// TestSameSeries: instances whose names differ only in bytes that are not UTF-8 would be one series. push and OpenMetrics have the first,
// and name the others. A metric that would have the series of another has another name.
func TestSameSeries(t *testing.T) {
	path, dom := filepath.Join(t.TempDir(), "same"), pcp.NewInDom(60, 1)
	w, err := archive.Create(path, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	descs := []pcp.Desc{
		{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint32, InDom: dom}, {ID: pcp.NewID(60, 0, 2), Type: pcp.Uint32, Sem: pcp.Counter, InDom: pcp.NullInDom},
		{ID: pcp.NewID(60, 0, 3), Type: pcp.Uint32, InDom: pcp.NullInDom},
	}
	sets := []pcp.Values{{Insts: []int32{1, 2, 3}, Words: []uint64{1, 2, 3}}, {Insts: []int32{pcp.NullInst}, Words: []uint64{4}}, {Insts: []int32{pcp.NullInst}, Words: []uint64{5}}}
	for i, name := range []string{"x", "q", "q_total"} {
		sets[i].ID, sets[i].Type = descs[i].ID, pcp.Uint32
		if err := w.AddMetric(descs[i], name); err != nil {
			t.Fatal(err)
		}
	}
	at := pcp.Timestamp{Sec: 1700000000}
	err = w.SetInDom(at, dom, []pcp.Instance{{ID: 1, Name: "\xffx"}, {ID: 2, Name: "\xfex"}, {ID: 3, Name: "y"}})
	if err := errors.Join(err, w.Put(&pcp.Result{Time: at, Sets: sets}), w.Close()); err != nil {
		t.Fatal(err)
	}
	d, url := database(t)
	const left = "pmderive: left out, as other series have the same name and labels: x[\"\\xfex\"]\n"
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", path, "push", "--to", url, "x", "q", "q_total"}, nil)
	want := []string{
		`__name__="q_total",host="h",hostname="h": 1, 1700000000000=4 to 1700000000000=4`,
		`__name__="q_total_",host="h",hostname="h": 1, 1700000000000=5 to 1700000000000=5`,
		`__name__="x",host="h",hostname="h",indom="60.1",instance="y": 1, 1700000000000=3 to 1700000000000=3`,
		"__name__=\"x\",host=\"h\",hostname=\"h\",indom=\"60.1\",instance=\"\ufffdx\": 1, 1700000000000=1 to 1700000000000=1",
	}
	diff := cmp.Diff(stored(d), want)
	if got.Status != 1 || got.Stdout != url+": 4 samples sent, 1 left out, with the labels of others\n" || got.Stderr != left {
		t.Errorf("%+v", got)
	}
	if diff != "" {
		t.Error(diff)
	}
	got = clitest.RunWith("pmderive", newCommand, "", []string{"-a", path, "eval", "-o", "openmetrics", "x", "q", "q_total"}, nil)
	var lines []string
	for line := range strings.Lines(got.Stdout) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, " 1700000000.000000000\n"))
		}
	}
	want = []string{"x{instance=\"\ufffdx\"} 1", `x{instance="y"} 3`, "q_total 4", "q_total_ 5"}
	if diff := cmp.Diff(lines, want); got.Status != 1 || got.Stderr != left || diff != "" {
		t.Errorf("%+v\n%s", got, diff)
	}
}

// TestPushApart: what is derived from metrics of other records is sent as it is alone.
func TestPushApart(t *testing.T) {
	d, url := database(t)
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", apart(t), "push", "--to", url, "x=rate(m.a)", "y=rate(m.b)", "m.b"}, nil)
	want := []string{
		`__name__="m_b_total",host="h",hostname="h": 5, 1700000001000=1 to 1700000009000=9`,
		`__name__="x",host="h",hostname="h": 4, 1700000002000=1 to 1700000008000=1`,
		`__name__="y",host="h",hostname="h": 4, 1700000003000=1 to 1700000009000=1`,
	}
	if diff := cmp.Diff(stored(d), want); diff != "" || got.Status != 0 {
		t.Errorf("%+v\n%s", got, diff)
	}
}

// TestPushMetadata: what the database hears of the metrics.
func TestPushMetadata(t *testing.T) {
	d, url := database(t)
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", archivetest.Path(t, "demo"), "push", "--to", url, "disk.dev.total_bytes", "mem.util.used", "kernel.uname.release"}, nil)
	want := map[string]string{
		"disk_dev_total_bytes": `1, "disk.dev.total_bytes (64-bit unsigned int, counter, Kbyte, indom 60.1)", bytes`,
		"mem_util_used_bytes":  `2, "mem.util.used (64-bit unsigned int, instant, Kbyte)", bytes`,
		"kernel_uname_release": `6, "kernel.uname.release (string, discrete, no units)", `,
	}
	if diff := cmp.Diff(d.Metadata(), want); diff != "" || got.Status != 0 {
		t.Errorf("%+v\n%s", got, diff)
	}
}

// TestPushHosts: each host has the label that it gives itself, or with --as-named that of the
// command line; two that give themselves the same are told apart by the latter only.
func TestPushHosts(t *testing.T) {
	hosts := serveHosts(t, 2)
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte(strings.Join(hosts, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	d, url := database(t)
	got := clitest.RunWith("pmderive", newCommand, "", []string{"push", "--hosts", file, "--as-named", "--to", url, "-s", "1", "-t", "10s", "h.one", "h.ctr"}, nil)
	list := timeless.ReplaceAllString(strings.Join(stored(d), "\n"), "T=")
	want := fmt.Sprintf(`__name__="h_ctr_bytes_total",host="%[1]s": 1, T=5 to T=5
__name__="h_ctr_bytes_total",host="%[2]s": 1, T=5120 to T=5120
__name__="h_one_bytes",host="%[1]s": 1, T=1024 to T=1024
__name__="h_one_bytes",host="%[2]s": 1, T=2.097152e+06 to T=2.097152e+06
__name__="up",host="%[1]s": 1, T=1 to T=1
__name__="up",host="%[2]s": 1, T=1 to T=1`, hosts[0], hosts[1])
	if hosts[1] < hosts[0] {
		part := strings.Split(want, "\n")
		want = strings.Join([]string{part[1], part[0], part[3], part[2], part[5], part[4]}, "\n")
	}
	if got.Status != 0 || got.Stdout+got.Stderr != url+": 6 samples sent\n" || list != want {
		t.Errorf("status %d, %q\n%s\nwant\n%s", got.Status, got.Stdout+got.Stderr, list, want)
	}
}

// TestPushSecrets: no label has what a specification says of who connects.
func TestPushSecrets(t *testing.T) {
	d, url := database(t)
	for _, secret := range []string{"a SECRET", "SECRET'\"x"} {
		got := clitest.RunWith("pmderive", newCommand, "", []string{"-h", "127.0.0.1:1?username=USER&password=" + secret, "-h", "127.0.0.1:2?method=PLAIN&container=c", "push", "--to", url, "-s", "1",
			"-t", "0.2", "x"}, nil)
		var ups []string
		for labels := range d.Series() {
			if strings.HasPrefix(labels, `__name__="up"`) {
				ups = append(ups, labels)
			}
			if strings.Contains(labels, "SECRET") || strings.Contains(labels, "USER") {
				t.Error(labels)
			}
		}
		slices.Sort(ups)
		if want := []string{`__name__="up",host="127.0.0.1:1"`, `__name__="up",host="127.0.0.1:2?container=c"`}; !slices.Equal(ups, want) {
			t.Errorf("%q, %+v", ups, got)
		}
		if strings.Contains(got.Stdout+got.Stderr, "SECRET") {
			t.Errorf("%+v", got)
		}
	}
}

// TestPushFull: live values that find no room are lost, which is said once, and the run goes on.
func TestPushFull(t *testing.T) {
	d, url := database(t)
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-h", serveHosts(t, 1)[0], "push", "--to", url, "--queue-size", "10", "-s", "2", "-t", "0.1", "h.disk"}, nil)
	if got.Status != 1 || got.Stdout != url+": 0 samples sent, 6 lost without room in the queue\n" {
		t.Errorf("%+v, %v", got, d.Series())
	} else if got.Stderr != "pmderive: the queue is full; values are lost until there is room\n" || len(d.Series()) != 0 {
		t.Errorf("%+v, %v", got, d.Series())
	}
}

// timeless matches the times of samples.
var timeless = regexp.MustCompile(`\b\d{13}=`)

// TestPushProblems: what goes wrong, and the status.
func TestPushProblems(t *testing.T) {
	refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such tenant", http.StatusNotFound) }))
	defer refuse.Close()
	base, dir := archivetest.Path(t, "demo"), t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line   string
		status int
		out    string
	}{
		{"push mem.physmem", 2, "--to says where the values go"},
		{"push --to http://u:s3cret@h/ mem.physmem", 2, "--to: http://u:xxxxx@h/ has a user, and others can see the command line"},
		{"push --to ftp://h/ mem.physmem", 2, "is not a URL with http or https"},
		{"push --to http://h/w?key=s3cret --token-file " + secret + " mem.physmem", 2, "--to: http://h/w: anybody on the way can read a password or token that goes over http; send it over https, or all the same with --insecure-auth\n"},
		{"push --to http://h/ --user me --password-file " + secret + " mem.physmem", 2, "or all the same with --insecure-auth\n"},
		{"push --to " + refuse.URL + " --insecure-auth --token-file " + secret + " mem.physmem", 1, "404 Not Found"},
		{"push --to http://h/ --queue-size 3X mem.physmem", 2, "--queue-size: "},
		{"push --to http://h/ --label 1=2 mem.physmem", 2, "--label=1=2 is not NAME=VALUE"},
		{"push --to http://h/ --label __name__=x mem.physmem", 2, "is not NAME=VALUE"},
		{"push --to https://h/ --token-file " + dir + "/none mem.physmem", 2, "no such file"},
		{"push --to http://h/ --hosts " + dir + "/none mem.physmem", 2, "--hosts: "},
		{"push --to " + refuse.URL + " no.such", 1, "no.such"},
		{"push --to " + refuse.URL + " mem.physmem", 1, "the server refuses: 404 Not Found: no such tenant\n"},
		{"push --to " + refuse.URL + " mem.physmem", 1, ": 0 samples sent, 60 refused\n"},
		{"push --to " + refuse.URL + " --queue-size 10 mem.physmem", 1, "the queue is full"},
	} {
		got := clitest.RunWith("pmderive", newCommand, "", append([]string{"-a", base}, strings.Fields(tt.line)...), nil)
		if out := got.Stderr + got.Stdout; got.Status != tt.status || !strings.Contains(out, tt.out) || strings.Contains(out, "s3cret") {
			t.Errorf("%s: status %d, %q", tt.line, got.Status, out)
		}
	}
}

// TestPushQueue: what one run could not send the next one does.
func TestPushQueue(t *testing.T) {
	base, dir := archivetest.Path(t, "demo"), filepath.Join(t.TempDir(), "queue")
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: 1 << 20, Keep: 0})
	if err != nil {
		t.Fatal(err)
	}
	var r remotewrite.Request
	r.Add(&remotewrite.Series{Labels: remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "before"})}, 1, 2)
	b := r.Split(1)[0]
	if err := q.Put(&b); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	d, url := database(t)
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", base, "push", "--to", url, "--queue", dir, "-s", "1", "mem.physmem"}, nil)
	if got.Status != 0 || got.Stdout != url+": 2 samples sent\n" || len(stored(d)) != 2 {
		t.Errorf("%+v, %q", got, stored(d))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the queue has %v, %v", left, err)
	}
}

// TestPushDelay pushes an archive of 200 records, or PMTOOLS_RUNS, with 2001 values each to a database that answers after 50 ms. It
// shows the time that this takes; several requests are under way at the same time.
func TestPushDelay(t *testing.T) {
	records := 200
	if n, err := strconv.Atoi(os.Getenv("PMTOOLS_RUNS")); err == nil {
		records = min(n, 5000)
	}
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", records); err != nil {
		t.Fatal(err)
	}
	var now, most, requests, samples atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer now.Add(-1)
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		body, err := io.ReadAll(r.Body)
		taken := remotewritetest.Count(body)
		samples.Add(int64(taken))
		requests.Add(1)
		time.Sleep(50 * time.Millisecond)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", strconv.Itoa(taken))
	}))
	defer srv.Close()
	begun := time.Now()
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", filepath.Join(dir, "big"), "push", "--to", srv.URL, "big"}, nil)
	took := time.Since(begun)
	want := int64(records * 2001)
	if got.Status != 0 || got.Stdout != fmt.Sprintf("%s: %d samples sent\n", srv.URL, want) {
		t.Errorf("%+v, want %d samples", got, want)
	}
	if atOnce := int64(min(4, records/50+1)); samples.Load() != want || most.Load() < atOnce { // a small archive has ten requests
		t.Errorf("%d of %d samples, %d requests at once", samples.Load(), want, most.Load())
	}
	t.Logf("%d samples in %d requests took %.1f s", samples.Load(), requests.Load(), took.Seconds())
}

// TestPushDryRun: the series that would be sent are those that are sent, with the values that come first, and nothing is sent.
func TestPushDryRun(t *testing.T) {
	d, url := database(t)
	args := []string{"-a", archivetest.Path(t, "demo"), "push", "--to", url, "--label", "env=a \"b\"", "disk.dev.total", "kernel.uname.release"}
	got := clitest.RunWith("pmderive", newCommand, "", append(args, "--dry-run"), nil)
	if left := d.Series(); got.Status != 0 || got.Stderr != "" || len(left) != 0 {
		t.Fatalf("%+v, %v", got, left)
	}
	clitest.RunWith("pmderive", newCommand, "", args, nil)
	var want []string
	for labels, list := range d.Series() {
		name, rest, _ := strings.Cut(strings.TrimPrefix(labels, "__name__=\""), "\"")
		want = append(want, fmt.Sprintf("%s{%s} %v %d\n", name, strings.TrimPrefix(rest, ","), list[0].Value, list[0].MS))
	}
	slices.Sort(want)
	if len(want) != 3 || got.Stdout != strings.Join(want, "") {
		t.Errorf("printed\n%swant\n%s", got.Stdout, strings.Join(want, ""))
	}
}
