package push_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"pmtools/lib/remotewrite/remotewritetest"
)

// A witness stands between push and a database, and remembers what the database has acknowledged. Where the database breaks a
// connection, it breaks that of push.
type witness struct {
	*httptest.Server
	took remotewritetest.Database // what was acknowledged, as often as it was
}

func newWitness(t *testing.T, d *database) *witness {
	target, err := url.Parse(d.base)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	if d.forgets {
		w.took.Knows = remotewritetest.Ignores2
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	proxy.ModifyResponse = func(res *http.Response) error {
		if body := res.Request.Context().Value(w); body != nil && res.StatusCode/100 == 2 {
			again := res.Request.Clone(res.Request.Context())
			again.Body = io.NopCloser(bytes.NewReader(body.([]byte)))
			w.took.ServeHTTP(httptest.NewRecorder(), again)
		}
		return nil
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), w, body)))
	}))
	t.Cleanup(w.Close)
	return w
}

// acknowledged returns how often each sample of series with a name was acknowledged.
func (w *witness) acknowledged(name string) map[string]map[int64]int {
	out := make(map[string]map[int64]int)
	for labels, list := range w.took.Series() {
		if !strings.Contains(labels, `__name__="`+name+`"`) {
			continue
		}
		_, instance, _ := strings.Cut(labels, `instance="`)
		instance, _, _ = strings.Cut(instance, `"`)
		times := make(map[int64]int)
		for _, s := range list {
			times[s.MS]++
		}
		out[name+"["+instance+"]"] = times
	}
	return out
}
