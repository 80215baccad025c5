package prom_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/builtin"
	collector "pmtools/lib/builtin/mmv"
	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/prom"
	_ "pmtools/test/env"
)

// program returns metrics as programs have them.
func program() (*prometheus.Registry, *prometheus.CounterVec) {
	r := prometheus.NewRegistry()
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "http_requests_total", Help: "Requests. By code."}, []string{"code", "method"})
	size := prometheus.NewGauge(prometheus.GaugeOpts{Name: "queue_bytes", Help: "In the queue"})
	took := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "took_seconds", Help: "It took", Buckets: []float64{0.1, 1}})
	rpc := prometheus.NewSummaryVec(prometheus.SummaryOpts{Name: "ns:rpc", Objectives: map[float64]float64{0.5: 0.05}}, []string{"to"})
	r.MustRegister(requests, size, took, rpc)
	requests.WithLabelValues("200", "get").Add(3)
	requests.WithLabelValues("500", "put").Inc()
	size.Set(512)
	for _, x := range []float64{0.05, 0.5, 2} {
		took.Observe(x)
	}
	rpc.WithLabelValues("b").Observe(4)
	return r, requests
}

// source returns a source of the files in a directory.
func source(t *testing.T, dir string) pmapi.Source {
	t.Helper()
	src := builtin.New(&builtin.Options{Collectors: []builtin.Collector{{Name: "mmv", Domain: collector.Domain, New: func() (pmda.Provider, error) {
		return collector.New(&collector.Options{Dir: dir})
	}}}})
	t.Cleanup(func() { src.Close() })
	return src
}

// gather returns what a collector gives, a line for each sample.
func gather(c prometheus.Collector) (string, error) {
	r := prometheus.NewRegistry()
	if err := r.Register(c); err != nil {
		return "", err
	}
	families, err := r.Gather()
	var b strings.Builder
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			x := m.GetGauge().GetValue()
			if f.GetType() == dto.MetricType_COUNTER {
				x = m.GetCounter().GetValue()
			}
			fmt.Fprintf(&b, "%s %s [%s] %s %v\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, " "), f.GetHelp(), x)
		}
	}
	return b.String(), err
}

// TestBothWays mirrors what is gathered for Prometheus in a file, and collects that for Prometheus.
func TestBothWays(t *testing.T) {
	dir := t.TempDir()
	reg, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer reg.Close()
	mmv.Text(reg, "state").Set("up")
	from, requests := program()
	m := prom.NewMirror(reg, from)
	if err := m.Update(); err != nil {
		t.Fatal(err)
	}
	c := prom.NewCollector(source(t, dir), &prom.CollectorOptions{Names: []string{"mmv.acme"}})
	if _, err := gather(c); err != nil {
		t.Fatal(err)
	}
	requests.WithLabelValues("404", "get").Inc() // comes later
	if err := m.Update(); err != nil || reg.Err() != nil {
		t.Fatal(err, reg.Err())
	}
	const want = `mmv_acme_http_requests_total counter [instance=code=200,method=get] Requests 3
mmv_acme_http_requests_total counter [instance=code=404,method=get] Requests 1
mmv_acme_http_requests_total counter [instance=code=500,method=put] Requests 1
mmv_acme_ns_rpc_count_total counter [instance=to=b] mmv.acme.ns_rpc.count 1
mmv_acme_ns_rpc_quantile gauge [instance=to=b,quantile=0.5] mmv.acme.ns_rpc.quantile 4
mmv_acme_ns_rpc_sum_total counter [instance=to=b] mmv.acme.ns_rpc.sum 4
mmv_acme_queue_bytes gauge [] In the queue 512
mmv_acme_state_info gauge [value=up] mmv.acme.state 1
mmv_acme_took_seconds_bucket_total counter [instance=le=0.1] It took 1
mmv_acme_took_seconds_bucket_total counter [instance=le=1] It took 2
mmv_acme_took_seconds_count_total counter [] It took 3
mmv_acme_took_seconds_sum_seconds_total counter [] It took 2.55
`
	got, err := gather(c)
	if got != want || err != nil {
		t.Errorf("error %v, got\n%swant\n%s", err, got, want)
	}
	mmv.Gauge[int32](reg, "new").Set(8) // names change
	for i := 0; i < 2 && !strings.Contains(got, "mmv_acme_new gauge [] mmv.acme.new 8\n"); i++ {
		if got, err = gather(c); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(got, "mmv_acme_new gauge [] mmv.acme.new 8\n") {
		t.Errorf("a new metric is not seen:\n%s", got)
	}
}

// TestCollectorErrors collects what there is not.
func TestCollectorErrors(t *testing.T) {
	src := source(t, t.TempDir())
	if _, err := gather(prom.NewCollector(src, &prom.CollectorOptions{Names: []string{"no.such"}})); err == nil || !strings.Contains(err.Error(), "no.such") {
		t.Errorf("error %v", err)
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := gather(prom.NewCollector(src, nil)); err == nil {
		t.Error("a closed source collects")
	}
}

// TestCollectorUnknown collects what there is beside an unknown name, which is logged once.
func TestCollectorUnknown(t *testing.T) {
	s := pmcdtest.NewServer(pmcdtest.Sample())
	defer s.Close()
	src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var log strings.Builder
	c := prom.NewCollector(src, &prom.CollectorOptions{Names: []string{"no.such", "sample.bin"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	first, err := gather(c)
	if err != nil || !strings.Contains(first, "sample_bin") {
		t.Fatalf("error %v, got\n%s", err, first)
	}
	s.Hangup() // as a pmcd that is started again
	if again, err := gather(c); err != nil || again != first {
		t.Errorf("after a restart: error %v, got\n%s", err, again)
	}
	if n := strings.Count(log.String(), "no.such"); n != 1 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}

// A broken Gatherer has an error, and something all the same.
type broken struct{ prometheus.Gatherer }

func (b broken) Gather() ([]*dto.MetricFamily, error) {
	f, _ := b.Gatherer.Gather()
	return f, pmerr.Timeout
}

// TestMirrorErrors mirrors what a Gatherer has in spite of an error, and mistakes of registrations.
func TestMirrorErrors(t *testing.T) {
	reg, err := mmv.Create("acme", mmv.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer reg.Close()
	from, _ := program()
	mmv.Gauge[float64](reg, "queue_bytes")
	if err := prom.NewMirror(reg, broken{from}).Update(); !errors.Is(err, pmerr.Timeout) {
		t.Errorf("error %v", err)
	}
	if err := reg.Err(); !errors.Is(err, mmv.ErrDuplicate) || !strings.Contains(err.Error(), "queue_bytes") {
		t.Errorf("registrations: %v", err)
	}
}

// TestArchive collects recorded values, which have their own time: one record after the other.
func TestArchive(t *testing.T) {
	src, err := pmapi.OpenArchive(context.Background(), archivetest.Path(t, "demo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := prometheus.NewRegistry()
	r.MustRegister(prom.NewCollector(src, &prom.CollectorOptions{Names: []string{"mem", "disk.dev.total"}}))
	last := int64(0)
	for range 3 {
		families, err := r.Gather()
		if err != nil || len(families) == 0 {
			t.Fatal(families, err)
		}
		for _, m := range families[0].GetMetric() {
			if m.GetTimestampMs() <= last {
				t.Errorf("%v at %d after %d", m, m.GetTimestampMs(), last)
			}
		}
		last = families[0].GetMetric()[0].GetTimestampMs()
	}
}

// TestSameLabels: of instances whose names differ only in bytes that are not UTF-8 the first is collected.
func TestSameLabels(t *testing.T) {
	path, dom, id := filepath.Join(t.TempDir(), "same"), pcp.NewInDom(60, 1), pcp.NewID(60, 0, 1)
	w, err := archive.Create(path, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	at := pcp.Timestamp{Sec: 1700000000}
	set := pcp.Values{ID: id, Type: pcp.Uint32, Insts: []int32{1, 2, 3}, Words: []uint64{1, 2, 3}}
	err = errors.Join(w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint32, InDom: dom}, "x"),
		w.SetInDom(at, dom, []pcp.Instance{{ID: 1, Name: "\xffx"}, {ID: 2, Name: "\xfex"}, {ID: 3, Name: "y"}}),
		w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{set}}), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	src, err := pmapi.OpenArchive(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := prometheus.NewRegistry()
	r.MustRegister(prom.NewCollector(src, &prom.CollectorOptions{Names: []string{"x"}}))
	families, err := r.Gather()
	if err != nil || len(families) != 1 || len(families[0].GetMetric()) != 2 {
		t.Fatalf("%v, %v", families, err)
	}
	if v := families[0].GetMetric()[1].GetGauge().GetValue(); v != 1 {
		t.Errorf("the second instance has %v", v)
	}
}
