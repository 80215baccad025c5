package mmv_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
)

// TestHistogram observes values at, between and outside of bounds, and reads the file.
func TestHistogram(t *testing.T) {
	dir := t.TempDir()
	r, err := mmv.Create("h", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := mmv.Histogram(r, "request.time", []float64{0.1, 0.25, 1}, mmv.Units("sec"), mmv.Help("Time of requests"))
	for _, x := range []float64{0.1, 0.05, 0.2, -3, 1, 7, 0.25, math.NaN()} {
		b.Observe(x)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "h"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for i := range f.Values {
		v := &f.Values[i]
		m := f.Metrics[v.Metric]
		value, err := f.Value(text, v, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		x, err := value.Float64()
		if err != nil {
			t.Fatal(err)
		}
		inst := ""
		for _, d := range f.InDoms {
			for _, in := range d.Instances {
				if in.ID == v.Inst {
					inst = in.Name
				}
			}
		}
		got[m.Name+" "+m.Units.String()+" "+inst] = x
	}
	want := map[string]float64{
		"request.time.buckets count -Inf..0.1": 2, "request.time.buckets count 0.1..0.25": 2, "request.time.buckets count 0.25..1": 1,
		"request.time.buckets count 1..+Inf": 2, "request.time.sum sec ": 0.1 + 0.05 + 0.2 - 3 + 1 + 7 + 0.25,
	}
	for k, x := range want {
		if g, ok := got[k]; !ok || math.Abs(g-x) > 1e-12 {
			t.Errorf("%s is %v, want %v; all are %v", k, g, x, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d values, want %d: %v", len(got), len(want), got)
	}
}

// TestHistogramRefused: what makes no histogram is an error, and observations go nowhere.
func TestHistogramRefused(t *testing.T) {
	r, err := mmv.Create("h", mmv.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for _, b := range []*mmv.Buckets{
		mmv.Histogram(r, "a", []float64{1, 1}), mmv.Histogram(r, "b", []float64{math.NaN()}), mmv.Histogram(r, "c", nil, mmv.ID(3)),
		mmv.Histogram(r, "d", nil, mmv.Per(r.Domain())), mmv.Histogram(r, "no good name", []float64{1}),
	} {
		b.Observe(2)
		n++
	}
	if err := r.Err(); err == nil || strings.Count(err.Error(), "\n") < n-1 {
		t.Errorf("%d histograms that are none: %v", n, err)
	}
	for _, b := range []*mmv.Buckets{new(mmv.Buckets), mmv.Histogram(nil, "a", []float64{1})} {
		b.Observe(2)
	}
}
