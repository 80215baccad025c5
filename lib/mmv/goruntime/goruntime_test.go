package goruntime_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/goruntime"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// TestMetrics compares values in the file with those of the runtime that do not change by themselves.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := goruntime.New(r)
	runtime.GC()
	m.Update()
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "acme"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]pcp.Value{}
	buckets := 0
	for i := range f.Values {
		m := &f.Metrics[f.Values[i].Metric]
		v, err := f.Value(b, &f.Values[i], time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if values[m.Name] = v; m.Name == "go.sched.latencies.seconds" {
			buckets++
		}
	}
	kinds := 0
	for _, d := range metrics.All() {
		if !strings.HasPrefix(d.Name, "/godebug/") {
			kinds++
		}
	}
	if n, _ := values["go.sched.gomaxprocs.threads"].Int64(); int(n) != runtime.GOMAXPROCS(0) || buckets < 10 || len(f.Metrics) != kinds {
		t.Errorf("gomaxprocs %d, %d buckets, %d metrics of %d", n, buckets, len(f.Metrics), kinds)
	}
	if n, _ := values["go.gc.cycles.total.gc_cycles"].Int64(); n < 1 {
		t.Errorf("%d collections", n)
	}
	for _, m := range f.Metrics {
		if m.Name == "go.gc.heap.allocs.bytes" && (m.Sem != pcp.Counter || m.Units.String() != "byte" || m.OneLine == "") {
			t.Errorf("%+v", m)
		}
	}
}
