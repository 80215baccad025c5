package push_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/test/peer/harness"
)

// TestVersions: prometheus gets remote write 2.0 and counts all samples; in victoria-metrics, which says nothing to 2.0, the first
// request is repeated in 1.0. If prometheus 3.5 accepts 1.0 only, it answers 415 to a request in 2.0, but
// stores the samples. It then refuses the repetition. Each database has each sample once.
func TestVersions(t *testing.T) {
	ours, _, root := harness.Setup(t)
	old := kinds[1]
	old.args = func(dir, addr string) []string {
		return append(kinds[1].args(dir, addr), "--web.remote-write-receiver.accepted-protobuf-messages=prometheus.WriteRequest")
	}
	for _, tt := range []struct {
		name string
		kind kind
		want []string
	}{
		{"prometheus", kinds[1], []string{"2.0.0 204"}},
		{"prometheus with 1.0", old, []string{"2.0.0 415", "0.1.0 400"}},
		{"victoria-metrics", kinds[0], []string{"2.0.0 204", "0.1.0 204"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDatabase(t, tt.kind, root)
			target, err := url.Parse(d.base)
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var seen []string
			written := 0
			proxy := httputil.NewSingleHostReverseProxy(target)
			proxy.ModifyResponse = func(res *http.Response) error {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, fmt.Sprintf("%s %d", res.Request.Header.Get("X-Prometheus-Remote-Write-Version"), res.StatusCode))
				var n int
				fmt.Sscan(res.Header.Get("X-Prometheus-Remote-Write-Samples-Written"), &n)
				written += n
				return nil
			}
			srv := httptest.NewServer(proxy)
			defer srv.Close()
			base := filepath.Join(root, "var/lib/pcp/testsuite/archives/20180102")
			o, err := ours.Run(harness.Command{Args: []string{"pmderive", "-a", base, "push", "--to", srv.URL + "/api/v1/write", "disk.dev.read", "mem.util.used"}}, root)
			const n = 1230
			said := fmt.Sprintf("%s/api/v1/write: %d samples sent\n", srv.URL, n)
			if err != nil || string(o.Stdout) != said && tt.name != "prometheus with 1.0" {
				t.Errorf("%v, %s%s", err, o.Stdout, o.Stderr)
			}
			if got := total(settled(t, d, `{host!=""}`, n)); got != n {
				t.Errorf("%d of %d samples", got, n)
			}
			if !slices.Equal(seen, tt.want) || tt.name == "prometheus" && written != n {
				t.Errorf("%q, %d of %d written", seen, written, n)
			}
		})
	}
}

// TestCreated: prometheus, which notes when a counter began as a sample of 0 at that time, has it of a counter that went back.
// victoria-metrics, which has no such times, has the samples.
func TestCreated(t *testing.T) {
	ours, _, root := harness.Setup(t)
	base, id := filepath.Join(t.TempDir(), "reset"), pcp.NewID(60, 0, 1)
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}, "m.a"); err != nil {
		t.Fatal(err)
	}
	const n, back = 6000, 5990 // enough for two requests
	begun := time.Now().Unix() - n
	for i := range int64(n) {
		set := pcp.Values{ID: id, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(i%back + 1)}}
		if err := w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: begun + i}, Sets: []pcp.Values{set}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	noting := kinds[1]
	noting.args = func(dir, addr string) []string {
		return append(kinds[1].args(dir, addr), "--enable-feature=created-timestamp-zero-ingestion")
	}
	for _, k := range []kind{noting, kinds[0]} {
		d := newDatabase(t, k, root)
		o, err := ours.Run(harness.Command{Args: []string{"pmderive", "-a", base, "push", "--to", d.base + "/api/v1/write", "m.a"}}, root)
		if err != nil || o.Status != 0 {
			t.Fatalf("%v, %s%s", err, o.Stdout, o.Stderr)
		}
		want := n
		if k.program == noting.program {
			want++
		}
		list := settled(t, d, `{host!=""}`, want)["m_a_total[]"]
		if len(list) != want {
			t.Errorf("%s: %d samples, not %d", k.program, len(list), want)
		}
		if at := (point{(begun+back-1)*1000 + 1, 0}); want > n && !slices.Contains(list, at) {
			t.Errorf("%s has no %v", k.program, at)
		}
	}
}
