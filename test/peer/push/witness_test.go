package push_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
)

// A witness stands between push and a database, and remembers when each sample came that the database has acknowledged, and when
// it was killed. Where the database breaks a connection, it breaks that of push.
type witness struct {
	*httptest.Server
	knows remotewritetest.Knowledge
	kills []time.Time

	mu   sync.Mutex
	took map[string]map[int64][]time.Time // by the instance and the time of the sample: when the acknowledged requests came
}

func newWitness(t *testing.T, d *database) *witness {
	target, err := url.Parse(d.base)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{took: make(map[string]map[int64][]time.Time)}
	if d.flush > 0 {
		w.knows = remotewritetest.Ignores2
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	proxy.ModifyResponse = func(res *http.Response) error {
		if got, ok := res.Request.Context().Value(w).(*arrival); ok && res.StatusCode/100 == 2 {
			w.acknowledge(res.Request, got)
		}
		return nil
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), w, &arrival{time.Now(), body})))
	}))
	t.Cleanup(w.Close)
	return w
}

// An arrival is a request that came from push. Its time, and not that of the answer, says which of the database's lives took it.
type arrival struct {
	at   time.Time
	body []byte
}

// acknowledge remembers the samples of load.many in a request.
func (w *witness) acknowledge(r *http.Request, got *arrival) {
	one := remotewritetest.Database{Knows: w.knows}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(got.body))
	one.ServeHTTP(httptest.NewRecorder(), r)
	w.mu.Lock()
	defer w.mu.Unlock()
	for labels, list := range one.Series() {
		if !strings.Contains(labels, `__name__="load_many"`) {
			continue
		}
		_, instance, _ := strings.Cut(labels, `instance="`)
		instance, _, _ = strings.Cut(instance, `"`)
		name := "load_many[" + instance + "]"
		if w.took[name] == nil {
			w.took[name] = make(map[int64][]time.Time)
		}
		for _, s := range list {
			w.took[name][s.MS] = append(w.took[name][s.MS], got.at)
		}
	}
}

// rounds returns how many samples of a series were acknowledged.
func (w *witness) rounds() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, times := range w.took {
		n = max(n, len(times))
	}
	return n
}

// A fate says why a database does not have a sample.
type fate struct {
	ours bool          // push did not send it again after a kill that came within --resend of an acknowledgement
	held time.Duration // how long the database had it before a kill, or until now, at the longest
}

// fate returns that of a sample that was acknowledged at these times, one or more.
func (w *witness) fate(acknowledged []time.Time) (f fate) {
	const resend = 20 * time.Second
	for _, at := range acknowledged {
		until := time.Now()
		if i := slices.IndexFunc(w.kills, at.Before); i >= 0 {
			until = w.kills[i]
		}
		f.held = max(f.held, until.Sub(at))
	}
	first := slices.MinFunc(acknowledged, time.Time.Compare)
	if i := slices.IndexFunc(w.kills, first.Before); i >= 0 && w.kills[i].Sub(first) < resend {
		f.ours = !slices.ContainsFunc(acknowledged, w.kills[i].Before)
	}
	return f
}
