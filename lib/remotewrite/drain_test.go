package remotewrite_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/remotewrite"
	_ "pmtools/test/env"
)

const large = math.MaxInt64

// quick are pauses for tests.
var quick = remotewrite.Backoff{First: time.Millisecond, Most: 4 * time.Millisecond}

// body returns a request with one sample.
func body(ms int64) *remotewrite.Block {
	var r remotewrite.Request
	r.Add(&remotewrite.Series{Labels: remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "x"})}, ms, float64(ms))
	b := r.Block()
	return &b
}

// times returns the times of the samples of the one series of body.
func times(d *remotewritetest.Database) (list []int64) {
	for _, s := range d.Series()[`__name__="x"`] {
		list = append(list, s.MS)
	}
	return list
}

// queued returns a finished queue with samples at the times 1 to n.
func queued(t *testing.T, n int, keep time.Duration) *remotewrite.Queue {
	t.Helper()
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: filepath.Join(t.TempDir(), "q"), Max: large, Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := q.Put(body(int64(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	q.Finish()
	return q
}

// client returns a client of a server.
func client(t *testing.T, opt remotewrite.Options) *remotewrite.Client {
	t.Helper()
	c, err := remotewrite.New(&opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// page answers with a text.
func page(code int, mime, text string) func(http.ResponseWriter, *http.Request, func()) {
	return func(w http.ResponseWriter, _ *http.Request, _ func()) {
		w.Header().Set("Content-Type", mime)
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
}

// TestFailures: what the server answers to the first attempts, and what becomes of three samples.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name   string
		first  int // the request that is answered so
		until  int // and those up to this one
		do     func(w http.ResponseWriter, r *http.Request, take func())
		want   []int64 // as often as they came
		sent   int
		report string // the first text, without the URL
	}{
		{"ok", 0, 0, nil, []int64{1, 2, 3}, 3, ""},
		{"500", 2, 4, answer(500, "", "no room"), []int64{1, 2, 3}, 3, "the server says 500 Internal Server Error: no room; trying again"},
		{"429", 1, 2, answer(429, "0", "slow down"), []int64{1, 2, 3}, 3, "the server says 429 Too Many Requests: slow down; trying again"},
		{"400", 2, 2, answer(400, "", "bad\x1b label\n  name"), []int64{1, 3}, 2, "the server refuses: 400 Bad Request: bad label name"},
		{"400, a line for each sample", 2, 2, answer(400, "", strings.Repeat("out of bounds\n", 300)), []int64{1, 3}, 2,
			"the server refuses: 400 Bad Request: " + strings.Repeat("out of bounds ", 12)[:160] + "...; out_of_order_time_window in Prometheus's configuration lets it take samples that come late"},
		{"401", 1, 3, answer(401, "", ""), nil, 0, "the server refuses: 401 Unauthorized"},
		{"redirect", 1, 3, answer(302, "", ""), nil, 0, "the server refuses: 302 Found: the database is elsewhere; give its own URL"},
		{"a page", 1, 3, page(200, "text/html; charset=UTF-8", "<!DOCTYPE html><html>\n<title>Welcome\x1b to nginx! </title>"), nil, 0,
			`the server answers 200 OK: it is not a database that takes remote write, but shows a page: "Welcome to nginx!"`},
		{"a page once", 1, 1, page(202, "Application/xhtml+xml", "<html/>"), []int64{2, 3}, 2,
			`the server answers 202 Accepted: it is not a database that takes remote write, but shows a page: "<html/>"`},
		{"a page with an error", 1, 3, page(404, "text/html", "<html><head><title>404 Not Found</title></head>"+strings.Repeat("x", 5000)), nil, 0, "the server refuses: 404 Not Found: 404 Not Found"},
		{"a page of nothing", 1, 6, page(200, "text/html", ""), nil, 3, ""},
		{"a text", 1, 6, page(200, "text/plain", "ok <html>"), nil, 3, `the server answers 200 OK: a database says nothing more, and this says "ok <html>"; all count as taken`},
		{"closes before it reads", 2, 3, func(http.ResponseWriter, *http.Request, func()) { panic(http.ErrAbortHandler) }, []int64{1, 2, 3}, 3, "EOF; trying again"},
		{"closes after it has taken", 2, 2, func(_ http.ResponseWriter, _ *http.Request, take func()) { take(); panic(http.ErrAbortHandler) },
			[]int64{1, 2, 2, 3}, 3, "EOF; trying again"},
		{"closes inside its answer", 1, 1, func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(500)
			io.WriteString(w, "half a ")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, []int64{1, 2, 3}, 3, "the server says 500 Internal Server Error: half a; trying again"},
		{"never ends its answer", 1, 1, func(w http.ResponseWriter, r *http.Request, take func()) {
			take()
			w.Header().Set(strings.TrimSuffix(written, ": 1"), "1")
			io.WriteString(w, "taken")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, []int64{1, 2, 3}, 3, ""},
		{"huge answer", 1, 1, answer(400, "", strings.Repeat("no ", 1<<20)), []int64{2, 3}, 2, " no no n..."},
		{"huge header", 1, 1, func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		},
			[]int64{1, 2, 3}, 3, "; trying again"},
		{"no HTTP", 1, 1, raw("SSH-2.0-OpenSSH\r\n"), []int64{1, 2, 3}, 3, "; trying again"},
		{"garbage", 1, 1, raw("HTTP/1.1 2x0 \x00\r\n\r\n"), []int64{1, 2, 3}, 3, "; trying again"},
		{"half a header", 1, 1, raw("HTTP/1.1 200 OK\r\nContent-Le"), []int64{1, 2, 3}, 3, "; trying again"},
		{"early hints", 1, 1, func(w http.ResponseWriter, _ *http.Request, take func()) {
			w.WriteHeader(http.StatusEarlyHints)
			take()
			w.Header().Set(strings.TrimSuffix(written, ": 1"), "1")
			w.WriteHeader(http.StatusNoContent)
		}, []int64{1, 2, 3}, 3, ""},
		{"hints without end", 1, 1, raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000)), []int64{1, 2, 3}, 3, "; trying again"},
		{"another protocol", 1, 1, raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), []int64{2, 3}, 2, "the server refuses: 101 Switching Protocols: it is not an answer to remote write"},
		{"slow", 2, 2, func(_ http.ResponseWriter, r *http.Request, _ func()) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, []int64{1, 2, 3}, 3, "trying again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			d := &remotewritetest.Database{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if k := int(n.Add(1)); tt.do != nil && k >= tt.first && k <= tt.until {
					tt.do(w, r, func() { d.ServeHTTP(httptest.NewRecorder(), r) })
					return
				}
				d.ServeHTTP(w, r)
			}))
			opt := remotewrite.Options{URL: srv.URL}
			if tt.name == "slow" {
				opt.Timeout = 50 * time.Millisecond
			}
			var reported []string
			rep, err := remotewrite.Drain(t.Context(), queued(t, 3, 0), client(t, opt), quick, func(err error) { reported = append(reported, err.Error()) })
			if tt.name != "slow" {
				srv.Close()
				if got := times(d); !slices.Equal(got, tt.want) {
					t.Errorf("the database has %v, not %v", got, tt.want)
				}
			} else if got := slices.Compact(times(d)); !slices.Equal(got, tt.want) { // on a slow machine others are late too
				t.Errorf("the database has %v, not %v", got, tt.want)
			}
			if err != nil || rep.Sent != tt.sent || rep.Refused != 3-tt.sent {
				t.Errorf("%+v, %v", rep, err)
			}
			switch {
			case tt.report == "" && reported != nil:
				t.Errorf("reported %q", reported)
			case tt.report != "" && (len(reported) == 0 || !strings.HasPrefix(reported[0], srv.URL+": ") || !strings.HasSuffix(reported[0], tt.report)):
				t.Errorf("reported %q, not %q", reported, tt.report)
			case rep.Refused > 0 && len(reported) != 1:
				t.Errorf("reported %q, not once", reported)
			}
		})
	}
}

// raw returns a handler that writes a text in place of an answer, and closes the connection.
func raw(text string) func(http.ResponseWriter, *http.Request, func()) {
	return func(w http.ResponseWriter, _ *http.Request, _ func()) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			io.WriteString(conn, text)
			conn.Close()
		}
	}
}

// answer returns a handler that answers with a status.
func answer(code int, after, text string) func(http.ResponseWriter, *http.Request, func()) {
	return func(w http.ResponseWriter, _ *http.Request, _ func()) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
}

// A script is a database that answers request after request with one of the handlers in turn; nil
// takes the request. It counts requests and those that it has taken.
type script struct {
	remotewritetest.Database
	turn            []func(w http.ResponseWriter, r *http.Request, take func())
	requests, taken int
	mu              sync.Mutex
}

// ServeHTTP implements http.Handler. A Client sends one request after the other, but a handler may
// still run when its connection has been cut.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do := s.turn[s.requests%len(s.turn)]
	s.requests++
	if do == nil {
		s.taken++
		s.Database.ServeHTTP(w, r)
		return
	}
	do(w, r, func() { s.taken++; s.Database.ServeHTTP(httptest.NewRecorder(), r) })
}

// cut closes the connection.
func cut(http.ResponseWriter, *http.Request, func()) { panic(http.ErrAbortHandler) }

// takeAndCut takes a request and closes the connection without an answer.
func takeAndCut(_ http.ResponseWriter, _ *http.Request, take func()) {
	take()
	panic(http.ErrAbortHandler)
}

// TestTurns: a database that fails again and again gets each request once, or twice if its
// connections break, and the run ends.
func TestTurns(t *testing.T) {
	const n = 100
	one := func(do func(http.ResponseWriter, *http.Request, func()), of int) []func(http.ResponseWriter, *http.Request, func()) {
		list := make([]func(http.ResponseWriter, *http.Request, func()), of)
		list[of-1] = do
		return list
	}
	for _, tt := range []struct {
		name            string
		do              func(http.ResponseWriter, *http.Request, func())
		of              int // one request of so many fails
		taken, requests int // at most
	}{
		{"503 in turn", answer(503, "", ""), 2, n, 2 * n},
		{"503 now and then", answer(503, "", ""), 10, n, n + n/9 + 1},
		{"502, two of three", answer(502, "", ""), 3, n, 2 * n},
		{"429 in turn", answer(429, "0", ""), 2, n, 2 * n},
		{"cut in turn", cut, 2, 2 * n, 4 * n},
		{"cut now and then", cut, 10, 2 * n, 2*n + 2*n/9 + 1},
		{"taken and cut in turn", takeAndCut, 2, 4 * n, 4 * n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{turn: one(tt.do, tt.of)}
			srv := httptest.NewServer(s)
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			rep, err := remotewrite.Drain(ctx, queued(t, n, time.Hour), client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
			srv.Close()
			got := times(&s.Database)
			slices.Sort(got)
			if got = slices.Compact(got); err != nil || rep != (remotewrite.Report{Sent: n}) || len(got) != n {
				t.Errorf("%+v, %v, %d samples", rep, err, len(got))
			}
			if s.taken > tt.taken || s.requests > tt.requests {
				t.Errorf("%d taken of %d requests, want at most %d of %d", s.taken, s.requests, tt.taken, tt.requests)
			}
		})
	}
}

// TestRandomTurns: whatever a database does to one request after the other, it has each sample in the
// end, and no request more than twice but for those that it takes without an answer.
func TestRandomTurns(t *testing.T) {
	const n = 150
	handlers := []func(http.ResponseWriter, *http.Request, func()){
		nil, nil, answer(503, "", "no"), answer(500, "0", ""), answer(429, "", ""), cut, takeAndCut, raw("HTTP/1.1 20"), raw("HTTP/1.1 103 Early Hints\r\n\r\n"),
		func(w http.ResponseWriter, _ *http.Request, take func()) {
			take()
			w.Header().Set("Connection", "close")
			w.Header().Set(strings.TrimSuffix(written, ": 1"), "1")
			w.WriteHeader(http.StatusOK)
		},
		func(w http.ResponseWriter, _ *http.Request, take func()) {
			take()
			io.WriteString(w, "taken")
			http.NewResponseController(w).Flush()
		},
	}
	for range 3 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		s, unanswered := &script{}, 0
		for range 1000 {
			i := r.IntN(len(handlers))
			do := handlers[i]
			if i == 6 {
				do = func(w http.ResponseWriter, r *http.Request, take func()) { unanswered++; takeAndCut(w, r, take) }
			}
			s.turn = append(s.turn, do)
		}
		srv := httptest.NewServer(s)
		ctx, cancel := context.WithTimeout(t.Context(), long)
		rep, err := remotewrite.Drain(ctx, queued(t, n, time.Hour), client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
		cancel()
		srv.Close()
		got := times(&s.Database)
		slices.Sort(got)
		if got = slices.Compact(got); err != nil {
			t.Errorf("seed %d: %+v, %v, %d samples, %d taken of %d requests, %d unanswered", seed, rep, err, len(got), s.taken, s.requests, unanswered)
		} else if rep != (remotewrite.Report{Sent: n}) || len(got) != n || s.taken > 2*n+unanswered {
			t.Errorf("seed %d: %+v, %v, %d samples, %d taken of %d requests, %d unanswered", seed, rep, err, len(got), s.taken, s.requests, unanswered)
		}
	}
}

// TestRestart: a server that had taken samples dies with them. The queue sends the samples that it keeps
// to the next server, in the order of time, and each of them once.
func TestRestart(t *testing.T) {
	for _, tt := range []struct {
		name         string
		before, late time.Duration // the loss comes after the last answer, and the next server after it
		want         []int64
	}{
		{"at once", 0, 0, []int64{1, 2, 3, 4, 5}},
		{"after a long time", 0, time.Hour, []int64{1, 2, 3, 4, 5}},
		{"when all of it is old", time.Hour, 0, []int64{4, 5}},
	} {
		first, second := &remotewritetest.Database{}, &remotewritetest.Database{}
		q, begin := queued(t, 5, 20*time.Second), time.Now()
		var requests, passed atomic.Int64 // the handlers run beside the test
		q.SetClock(func() time.Time { return begin.Add(time.Duration(passed.Load())) })
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch n := requests.Add(1); {
			case n < 4:
				first.ServeHTTP(w, r)
			case n < 6:
				if n == 4 {
					passed.Add(int64(tt.before))
				}
				panic(http.ErrAbortHandler)
			default:
				second.ServeHTTP(w, r)
			}
		}))
		rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) { passed.Add(int64(tt.late)) })
		srv.Close()
		if got := times(second); err != nil || rep != (remotewrite.Report{Sent: 5}) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v: %v", tt.name, rep, err, got)
		}
	}
}

// TestUnnoticed: a server that is killed and back between two requests is noticed by the next one,
// which finds its connection gone. A server that says that it closes connections was not killed.
func TestUnnoticed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header func(http.Header)
		kill   bool
		want   []int64
	}{
		{"kept open", func(http.Header) {}, false, []int64{1, 2, 3, 4, 5}},
		{"killed", func(http.Header) {}, true, []int64{1, 1, 2, 2, 3, 3, 4, 5}},
		{"closed by the server", func(h http.Header) { h.Set("Connection", "close") }, false, []int64{1, 2, 3, 4, 5}},
		{"closed by us, with a body that is not read", func(h http.Header) { h.Set("X", "body") }, false, []int64{1, 2, 3, 4, 5}},
	} {
		d := &remotewritetest.Database{}
		n := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tt.header(w.Header())
			if w.Header().Get("X") != "" {
				d.ServeHTTP(httptest.NewRecorder(), r)
				w.Header().Set(strings.TrimSuffix(written, ": 1"), "1")
				io.WriteString(w, "taken")
				http.NewResponseController(w).Flush()
				return
			}
			d.ServeHTTP(w, r)
		}))
		q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: filepath.Join(t.TempDir(), "q"), Max: large, Keep: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		put := func() {
			n++
			if err := q.Put(body(int64(n))); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan remotewrite.Report)
		go func() {
			rep, _ := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
			ended <- rep
		}()
		for i := range 5 {
			put()
			for begun := time.Now(); q.Waiting() > 0 && time.Since(begun) < long; {
				time.Sleep(time.Millisecond)
			}
			if i == 2 && tt.kill {
				srv.CloseClientConnections()
			}
		}
		q.Finish()
		rep := <-ended
		srv.Close()
		got := times(d)
		if slices.Sort(got); rep != (remotewrite.Report{Sent: 5}) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, rep, got, tt.want)
		}
	}
}

// TestInterruptedResend: what is to be sent once more when the process ends is sent by the next one.
func TestInterruptedResend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large, Keep: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := q.Put(body(int64(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{turn: []func(http.ResponseWriter, *http.Request, func()){nil, nil, cut}}
	srv := httptest.NewServer(s)
	rep, err := remotewrite.Drain(ctx, q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) { cancel() })
	srv.Close()
	if !errors.Is(err, context.Canceled) || rep.Sent != 2 || q.Waiting() != 1 {
		t.Errorf("%+v, %v, %d", rep, err, q.Waiting())
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if got, rep, _ := drained(t, open(t, dir, nil)); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("the next process sends %v, %+v", got, rep)
	}
}

// TestKnown: a server that refuses, as out of order, what it had taken without our hearing of it, or
// what an earlier process has left, has lost nothing; what it refuses so at once is refused.
func TestKnown(t *testing.T) {
	for _, tt := range []struct {
		name         string
		broken, left bool
		sent         int
	}{{"at once", false, false, 0}, {"after a broken connection", true, false, 1}, {"left", false, true, 1}} {
		n := 0
		d := &remotewritetest.Database{Before: func(w http.ResponseWriter, _ *http.Request) bool {
			if n++; n == 1 && tt.broken {
				panic(http.ErrAbortHandler)
			}
			http.Error(w, "out of order sample", 400)
			return true
		}}
		srv := httptest.NewServer(d)
		q := queued(t, 1, 0)
		if tt.left {
			dir := filepath.Join(t.TempDir(), "q")
			fill(t, dir, 1)
			q = open(t, dir, nil)
			q.Finish()
		}
		rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
		srv.Close()
		if err != nil || rep != (remotewrite.Report{Sent: tt.sent, Refused: 1 - tt.sent}) {
			t.Errorf("%s: %+v, %v", tt.name, rep, err)
		}
	}
}

// TestInterrupted: an attempt that fails for ever ends with its context, and the sample stays.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }))
	defer srv.Close()
	q := queued(t, 2, 0)
	rep, err := remotewrite.Drain(ctx, q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) { cancel() })
	if !errors.Is(err, context.Canceled) || rep.Sent != 0 || q.Waiting() != 2 {
		t.Errorf("%+v, %v, %d", rep, err, q.Waiting())
	}
}
