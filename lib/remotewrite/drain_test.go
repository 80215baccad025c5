package remotewrite_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/lib/remotewrite"
	"pmtools/lib/remotewrite/remotewritetest"
	_ "pmtools/test/env"
)

const large = math.MaxInt64

// quick are pauses for tests.
var quick = remotewrite.Backoff{First: time.Millisecond, Most: 4 * time.Millisecond}

// body returns a request with one sample.
func body(ms int64) []byte {
	var r remotewrite.Request
	r.Add(remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "x"}), ms, float64(ms))
	return r.Take()
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
		if err := q.Put(body(int64(i+1)), 1); err != nil {
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

// TestFailures: what the server answers to the first attempts, and what becomes of three samples.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first int // the request that is answered so
		until int // and those up to this one
		do    func(w http.ResponseWriter, r *http.Request, take func())
		want  []int64 // as often as they came
		sent  int
		say   string // the first text, without the URL
	}{
		{"ok", 0, 0, nil, []int64{1, 2, 3}, 3, ""},
		{"500", 2, 4, answer(500, "", "no room"), []int64{1, 2, 3}, 3, "the server says 500 Internal Server Error: no room; trying again"},
		{"429", 1, 2, answer(429, "0", "slow down"), []int64{1, 2, 3}, 3, "the server says 429 Too Many Requests: slow down; trying again"},
		{"400", 2, 2, answer(400, "", "bad\x1b label\n  name"), []int64{1, 3}, 2, "the server refuses: 400 Bad Request: bad label name"},
		{"401", 1, 3, answer(401, "", ""), nil, 0, "the server refuses: 401 Unauthorized"},
		{"redirect", 1, 3, answer(302, "", ""), nil, 0, "the server refuses: 302 Found: the database is elsewhere; --to takes its own URL"},
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
			io.WriteString(w, "taken")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, []int64{1, 2, 3}, 3, ""},
		{"huge answer", 1, 1, answer(400, "", strings.Repeat("no ", 1<<20)), []int64{2, 3}, 2, " no no n"},
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
			var said []string
			rep, err := remotewrite.Drain(t.Context(), queued(t, 3, 0), client(t, opt), quick, func(err error) { said = append(said, err.Error()) })
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
			case tt.say == "" && said != nil:
				t.Errorf("said %q", said)
			case tt.say != "" && (len(said) == 0 || !strings.HasPrefix(said[0], srv.URL+": ") || !strings.HasSuffix(said[0], tt.say)):
				t.Errorf("said %q, not %q", said, tt.say)
			case rep.Refused > 0 && len(said) != 1:
				t.Errorf("said %q, not once", said)
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
}

// ServeHTTP implements http.Handler. A Client sends one request after the other.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// TestRestart: a server that had taken samples dies with them. What is kept is sent to the next one
// again, in the order of time, and what that one has taken is not sent once more.
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
		q, n, now := queued(t, 5, 20*time.Second), 0, time.Now()
		q.SetClock(func() time.Time { return now })
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch n++; {
			case n < 4:
				first.ServeHTTP(w, r)
			case n < 6:
				if n == 4 {
					now = now.Add(tt.before)
				}
				panic(http.ErrAbortHandler)
			default:
				second.ServeHTTP(w, r)
			}
		}))
		rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) { now = now.Add(tt.late) })
		srv.Close()
		if got := times(second); err != nil || rep != (remotewrite.Report{Sent: 5}) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v: %v", tt.name, rep, err, got)
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
		if err := q.Put(body(int64(i+1)), 1); err != nil {
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

// TestNobody: where nothing listens an attempt fails for now.
func TestNobody(t *testing.T) {
	err := client(t, remotewrite.Options{URL: "http://127.0.0.1:1/"}).Post(t.Context(), body(1))
	if f, ok := errors.AsType[*remotewrite.Failure](err); !ok || !f.Lost || strings.Contains(err.Error(), "Post ") {
		t.Errorf("%v", err)
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

// TestRetryAfter: the server says when it wants to be asked again.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		header string
		least  time.Duration
		most   time.Duration
	}{
		{"7", 7 * time.Second, 7 * time.Second}, {"-3", 0, 0}, {"soon", 0, 0}, {"999999", 5 * time.Minute, 5 * time.Minute},
		{time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 5 * time.Minute, 5 * time.Minute}, {"Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", tt.header)
			w.WriteHeader(503)
		}))
		err := client(t, remotewrite.Options{URL: srv.URL}).Post(t.Context(), body(1))
		srv.Close()
		f, ok := errors.AsType[*remotewrite.Failure](err)
		if !ok || f.After < tt.least || f.After > tt.most {
			t.Errorf("%q: %v, %+v", tt.header, err, f)
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

// secure starts a server with TLS, and returns it with the options of a client that sends a token.
func secure(t *testing.T, h http.Handler) (*httptest.Server, remotewrite.Options) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	dir := t.TempDir()
	opt := remotewrite.Options{URL: srv.URL, CAFile: filepath.Join(dir, "ca"), TokenFile: filepath.Join(dir, "token")}
	for name, text := range map[string][]byte{
		opt.CAFile: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), opt.TokenFile: []byte("s3cret\n"),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return srv, opt
}

// TestWho: the secrets of files, an authority of our own, and none of it in texts.
func TestWho(t *testing.T) {
	d := &remotewritetest.Database{}
	var auth string
	d.Before = func(_ http.ResponseWriter, r *http.Request) bool { auth = r.Header.Get("Authorization"); return false }
	srv, opt := secure(t, d)
	defer srv.Close()
	ca := opt.CAFile
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	token, password, empty := file("token", " s3cret\nmore\n"), file("password", "s3cret\n"), file("empty", "\n")
	inside := strings.Replace(srv.URL, "://", "://me:s3cret@", 1) + "/w?key=s3cret"
	for _, tt := range []struct {
		opt  remotewrite.Options
		auth string
		err  string
	}{
		{remotewrite.Options{URL: srv.URL, CAFile: ca}, "", ""},
		{remotewrite.Options{URL: srv.URL, CAFile: ca, TokenFile: token}, "Bearer s3cret", ""},
		{remotewrite.Options{URL: srv.URL, CAFile: ca, User: "me", PasswordFile: password}, "Basic bWU6czNjcmV0", ""},
		{remotewrite.Options{URL: inside, CAFile: ca}, "Basic bWU6czNjcmV0", ""},
		{remotewrite.Options{URL: inside}, "", "certificate"},
		{remotewrite.Options{URL: inside, TokenFile: token}, "", "one of them"},
		{remotewrite.Options{URL: srv.URL, User: "me"}, "", "needs a file"},
		{remotewrite.Options{URL: srv.URL, TokenFile: empty}, "", "is empty"},
		{remotewrite.Options{URL: srv.URL, TokenFile: file("binary", "s3cret\x00")}, "", "has control characters"},
		{remotewrite.Options{URL: srv.URL, TokenFile: dir}, "", "is a directory"},
		{remotewrite.Options{URL: srv.URL, TokenFile: filepath.Join(dir, "none")}, "", "no such file"},
		{remotewrite.Options{URL: srv.URL, CAFile: token}, "", "has no certificates"},
		{remotewrite.Options{URL: "ftp://me:s3cret@h/"}, "", "http or https"},
		{remotewrite.Options{URL: "http://me:s3cret@h:x/"}, "", "cannot be read"},
		{remotewrite.Options{URL: ""}, "", "http or https"},
	} {
		auth = ""
		c, err := remotewrite.New(&tt.opt)
		if err == nil {
			err = c.Post(t.Context(), body(1))
			if strings.Contains(c.Name(), "s3cret") {
				t.Errorf("the name is %s", c.Name())
			}
		}
		text := fmt.Sprint(err)
		if (err == nil) != (tt.err == "") || !strings.Contains(text, tt.err) || strings.Contains(text, "s3cret") || auth != tt.auth {
			t.Errorf("%+v: %s, %q", tt.opt, text, auth)
		}
	}
}
