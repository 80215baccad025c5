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
