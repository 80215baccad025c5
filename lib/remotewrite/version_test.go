package remotewrite_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/pcp"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
)

// TestVersions: a server gets 2.0, or 1.0 if it shows that it does not know that; each sample once, with its metadata.
func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		name     string
		knows    remotewritetest.Knowledge
		requests int64
	}{
		{"2.0", remotewritetest.Version2, 3}, {"1.0, refuses 2.0", remotewritetest.Refuses2, 4}, {"1.0, ignores 2.0", remotewritetest.Ignores2, 4},
	} {
		var n atomic.Int64
		d := &remotewritetest.Database{Knows: tt.knows, Before: func(http.ResponseWriter, *http.Request) bool { n.Add(1); return false }}
		srv := httptest.NewServer(d)
		rep, err := remotewrite.Drain(t.Context(), queued(t, 3, 0), client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { t.Error(err) })
		srv.Close()
		if err != nil || rep != (remotewrite.Report{Sent: 3}) {
			t.Errorf("%s: %+v, %v", tt.name, rep, err)
		}
		if got := times(d); !slices.Equal(got, []int64{1, 2, 3}) || n.Load() != tt.requests {
			t.Errorf("%s: %v, %d requests", tt.name, got, n.Load())
		}
	}
}

// TestPartly: a server of 2.0 tells how many samples it has taken. Numbers that cannot be are not believed.
func TestPartly(t *testing.T) {
	for _, tt := range []struct {
		code    int
		written string
		want    remotewrite.Report
		warned  string
	}{
		{400, "1", remotewrite.Report{Sent: 1, Refused: 2}, "the server refuses: 400 Bad Request"},
		{200, "1", remotewrite.Report{Sent: 1, Refused: 2}, "the server answers 200 OK: it has taken 1 of 3 samples"},
		{204, "3", remotewrite.Report{Sent: 3}, ""},
		{400, "3", remotewrite.Report{Sent: 3}, "the server refuses: 400 Bad Request"},
		{400, "", remotewrite.Report{Refused: 3}, "the server refuses: 400 Bad Request"},
		{400, "4", remotewrite.Report{Refused: 3}, "the server refuses: 400 Bad Request"},
		{422, "-1", remotewrite.Report{Refused: 3}, "the server refuses: 422 Unprocessable Entity"},
		{204, "9223372036854775807", remotewrite.Report{Sent: 3}, ""},
		{200, "-3", remotewrite.Report{Sent: 3}, ""},
		{200, strings.Repeat("x", 5000), remotewrite.Report{Sent: 3}, ""},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tt.written != "" {
				w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", tt.written)
			}
			w.WriteHeader(tt.code)
		}))
		q := queue(t, large)
		var r remotewrite.Request
		for ms := range int64(3) {
			r.Add(&remotewrite.Series{Labels: remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "x"})}, ms, 0)
		}
		b := r.Block()
		if err := q.Put(&b); err != nil {
			t.Fatal(err)
		}
		q.Finish()
		var warned string
		rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { warned += err.Error() })
		srv.Close()
		if err != nil || rep != tt.want {
			t.Errorf("%d, %q: %+v, %v", tt.code, tt.written, rep, err)
		}
		if !strings.HasSuffix(warned, tt.warned) || (warned == "") != (tt.warned == "") {
			t.Errorf("%d, %q: warned %q", tt.code, tt.written, warned)
		}
	}
}

// TestCreated: a counter that goes back has begun after its last value; others do not say when.
func TestCreated(t *testing.T) {
	counter := sampling.Metric{Name: "c", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Counter}}
	for _, live := range []bool{true, false} {
		q := queue(t, large)
		s, _ := sender(t, &sampling.Header{Metrics: []sampling.Metric{counter, double}, Live: live}, remotewrite.SenderOptions{Queue: q})
		n := int64(10)
		if !live { // a counter that goes back begins another request
			n = 4000
		}
		for sec := range n {
			v := float64(sec)
			if sec >= n-2 {
				v = 1
			}
			if err := s.Sample(t.Context(), at(1+sec, value(pcp.DoubleValue(v)), value(pcp.DoubleValue(v)))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		q.Finish()
		d := &remotewritetest.Database{}
		srv := httptest.NewServer(d)
		rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { t.Error(err) })
		srv.Close()
		if diff := cmp.Diff(d.Created(), map[string]int64{`__name__="c_total"`: (n-2)*1000 + 1}); diff != "" || err != nil || rep.Sent < int(2*n) {
			t.Errorf("live %v: %+v, %v, %s", live, rep, err, diff)
		}
	}
}

// TestParallel: requests of a batch are under way at the same time, and the samples of each series come in their order.
func TestParallel(t *testing.T) {
	const n, rounds = 200, 2000
	q := queue(t, large)
	dom := sampling.Metric{Name: "d", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NewInDom(60, 1)}}
	s, _ := sender(t, &sampling.Header{Metrics: []sampling.Metric{dom}}, remotewrite.SenderOptions{Queue: q})
	for sec := range int64(rounds) {
		var set sampling.Set
		for id := range int32(n) {
			set.Append(sampling.Value{ID: id, Instance: string('a' + rune(id)), Value: pcp.DoubleValue(1)})
		}
		if err := s.Sample(t.Context(), at(sec/4, set)); err != nil && sec%4 == 0 {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	q.Finish()
	var now, most, requests atomic.Int64
	ready := make(chan struct{})
	d := &remotewritetest.Database{Before: func(w http.ResponseWriter, r *http.Request) bool {
		defer now.Add(-1)
		if k := now.Add(1); k > most.Load() {
			most.Store(k)
		}
		switch k := requests.Add(1); {
		case k == 5:
			close(ready)
		case k < 5:
			<-ready // the others come only if they do not wait for this one
		case k%3 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}}
	srv := httptest.NewServer(d)
	defer srv.Close()
	rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
	if err != nil || rep != (remotewrite.Report{Sent: n * rounds / 4}) || most.Load() < 5 {
		t.Errorf("%+v, %v, %d at once", rep, err, most.Load())
	}
	for labels, samples := range d.Series() {
		for i, x := range samples {
			if len(samples) != rounds/4 || x.MS != int64(i)*1000 {
				t.Fatalf("%s: %d samples, number %d at %d", labels, len(samples), i, x.MS)
			}
		}
	}
}
