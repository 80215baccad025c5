package remotewrite_test

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/remotewrite"
)

// long bounds work that takes milliseconds, on loaded machines too.
const long = 30 * time.Second

// silent returns a handler that writes a text in place of an answer, repeats another one until the
// client has gone, and keeps the connection open.
func silent(text, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		gone := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, conn); close(gone) }()
		_, err = io.WriteString(conn, text)
		for tick := time.NewTicker(10 * time.Millisecond); err == nil; {
			select {
			case <-gone:
				return
			case <-tick.C:
				_, err = io.WriteString(conn, again)
			}
		}
	}
}

// written is the header of a server of 2.0.
const written = "X-Prometheus-Remote-Write-Samples-Written: 1"

// endless are answers that never end.
var endless = []struct{ name, text, again string }{
	{"nothing", "", ""},
	{"half a status line", "HTTP/1.1 20", ""},
	{"a status line that never ends", "HTTP/1.1 200 ", "x"},
	{"a header that never ends", "HTTP/1.1 200 OK\r\nX: ", "x"},
	{"headers that never end", "HTTP/1.1 200 OK\r\n", "X: y\r\n"},
	{"early hints for ever", "", "HTTP/1.1 103 Early Hints\r\n\r\n"},
	{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", ""},
	{"another protocol that goes on", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "x"},
	{"another protocol without a reason", "HTTP/1.1 101\r\n\r\n", ""},
	{"an unknown status", "HTTP/1.1 999\r\n\r\n", "x"},
	{"status 0", "HTTP/1.1 000 \r\nContent-Length: 9\r\n\r\n", ""},
	{"a success with a body that never comes", "HTTP/1.1 200 OK\r\n" + written + "\r\nContent-Length: 9\r\n\r\n", ""},
	{"a success with a body that never ends", "HTTP/1.1 200 OK\r\n" + written + "\r\n\r\n", "x"},
	{"a failure with a body that never comes", "HTTP/1.1 500 no\r\nContent-Length: 9\r\n\r\n", ""},
	{"a failure with a body that never ends", "HTTP/1.1 500 no\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
	{"a refusal with a body that never ends", "HTTP/1.1 400 no\r\n\r\n", "\n"},
	{"a redirect with a body that never ends", "HTTP/1.1 307 no\r\nLocation: /\r\n\r\n", "\n"},
}

// TestEndless: whatever an answer does, a request ends within its time, and with its context.
func TestEndless(t *testing.T) {
	t.Parallel()
	for _, tt := range endless {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(silent(tt.text, tt.again))
			defer srv.Close()
			for _, end := range []string{"time", "context"} {
				opt := remotewrite.Options{URL: srv.URL, Timeout: 300 * time.Millisecond}
				ctx, cancel := context.WithCancel(t.Context())
				if end == "context" {
					opt.Timeout = time.Hour
					time.AfterFunc(300*time.Millisecond, cancel)
				}
				ended := make(chan error, 1)
				go func() { ended <- client(t, opt).Post(ctx, body(1)) }()
				select {
				case err := <-ended:
					if strings.Contains(tt.name, "success") != (err == nil) {
						t.Errorf("%s: %v", end, err)
					}
				case <-time.After(long):
					t.Errorf("%s: it has not ended", end)
				}
				cancel()
			}
		})
	}
}

// TestHandshake: a server that says nothing to a TLS handshake does not keep a request.
func TestHandshake(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = client(t, remotewrite.Options{URL: "https://" + l.Addr().String(), Timeout: 300 * time.Millisecond}).Post(t.Context(), body(1))
	if f, ok := errors.AsType[*remotewrite.Failure](err); !ok || !f.Lost || f.Unknown {
		t.Errorf("%v", err)
	}
}

// TestUnread: a server that never reads the request does not keep it.
func TestUnread(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	defer srv.Close()
	defer close(ended)
	request := huge()
	err := client(t, remotewrite.Options{URL: srv.URL, Timeout: 4 * time.Second}).Post(t.Context(), request)
	if f, ok := errors.AsType[*remotewrite.Failure](err); !ok || !strings.Contains(err.Error(), "no answer within 4s") || f.Lost {
		t.Errorf("%v", err)
	}
}

// huge returns a request of 20 MB, more than a connection holds.
func huge() *remotewrite.Block {
	var r remotewrite.Request
	x := &remotewrite.Series{Labels: remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "x"})}
	for i := range int64(1_000_000) {
		r.Add(x, i, rand.Float64())
	}
	b := r.Block()
	return &b
}

// TestReason: texts of the server are short, on one line, and without control characters.
func TestReason(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w http.ResponseWriter, r *http.Request, take func())
		want string
	}{
		{"escapes in the status", raw("HTTP/1.1 400 \x1b[31mred\x07\r\nContent-Length: 0\r\n\r\n"), "the server refuses: 400 [31mred"},
		{"escapes in a status that passes", raw("HTTP/1.1 500 \x1b]0;x\r\nContent-Length: 0\r\n\r\n"), "the server says 500 ]0;x"},
		{"an endless status", raw("HTTP/1.1 400 " + strings.Repeat("x", 20000) + "\r\nContent-Length: 0\r\n\r\n"), ""},
		{"escapes in a header", raw("HTTP/1.1 200 OK\r\nX\x1b[31m\r\n\r\n"), ""},
		{"compressed", func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(400)
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 64<<20))
			_ = z.Close()
		}, "the server refuses: 400 Bad Request: its reason is compressed"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w, r, nil) }))
		err := client(t, remotewrite.Options{URL: srv.URL}).Post(t.Context(), body(1))
		srv.Close()
		text := err.Error()
		if len(text) > 5000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) || tt.want != "" && text != tt.want {
			t.Errorf("%s: %.200q", tt.name, text)
		}
	}
}

// TestClear: a secret never goes over plain http to another machine, unless that is asked for.
func TestClear(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token, user := remotewrite.Options{TokenFile: file}, remotewrite.Options{User: "me", PasswordFile: file}
	for _, tt := range []struct {
		url   string
		opt   remotewrite.Options
		clear bool
	}{
		{"http://db.example/w", remotewrite.Options{}, false},
		{"http://db.example/w", token, true},
		{"http://db.example/w", user, true},
		{"http://me:s3cret@db.example/w", remotewrite.Options{}, true},
		{"http://me@db.example/w", remotewrite.Options{}, true},
		{"HTTP://192.0.2.1:8428/w", token, true},
		{"http://[2001:db8::1]:8428/w", token, true},
		{"http://localhost.db.example/w", token, true},
		{"http://127.0.0.1.db.example/w", token, true},
		{"http://0.0.0.0/w", token, true},
		{"https://db.example/w", token, false},
		{"https://me:s3cret@db.example/w", remotewrite.Options{}, false},
		{"http://127.0.0.1:1/w", token, false},
		{"http://127.9.9.9:1/w", user, false},
		{"http://[::1]:1/w", token, false},
		{"http://[::ffff:127.0.0.1]:1/w", token, false},
		{"http://localhost:1/w", token, false},
		{"http://LOCALHOST/w", token, false},
		{"http://me:s3cret@localhost/w", remotewrite.Options{}, false},
	} {
		opt := tt.opt
		opt.URL = tt.url
		_, err := remotewrite.New(&opt)
		if errors.Is(err, remotewrite.ErrClear) != tt.clear || err != nil && (!tt.clear || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %v", tt.url, err)
		}
		opt.InsecureAuth = true
		if _, err := remotewrite.New(&opt); err != nil {
			t.Errorf("%s, insecure: %v", tt.url, err)
		}
	}
}

// TestRedirect: neither samples nor secrets follow a redirect.
func TestRedirect(t *testing.T) {
	var followed atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		d := &remotewritetest.Database{Before: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.URL, code)
			return true
		}}
		srv, opt := secure(t, d)
		err := client(t, opt).Post(t.Context(), body(1))
		srv.Close()
		if r, ok := errors.AsType[*remotewrite.Refusal](err); !ok || r.Code != code || followed.Load() != 0 {
			t.Errorf("%d: %v, followed %d times", code, err, followed.Load())
		}
	}
}

// TestNobody: where nothing listens an attempt fails for now.
func TestNobody(t *testing.T) {
	err := client(t, remotewrite.Options{URL: "http://127.0.0.1:1/"}).Post(t.Context(), body(1))
	if f, ok := errors.AsType[*remotewrite.Failure](err); !ok || !f.Lost || strings.Contains(err.Error(), "Post ") {
		t.Errorf("%v", err)
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
		{remotewrite.Options{URL: inside, TokenFile: token}, "", "both a token and a user"},
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
		if (err == nil) != (tt.err == "") || !strings.Contains(text, tt.err) {
			t.Errorf("%+v: %s, %q", tt.opt, text, auth)
		} else if strings.Contains(text, "s3cret") || auth != tt.auth {
			t.Errorf("%+v: %s, %q", tt.opt, text, auth)
		}
	}
}
