package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// lying returns a bucket of a server that answers so.
func lying(t *testing.T, wait time.Duration, answer func(w http.ResponseWriter, r *http.Request)) *Bucket {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(h.Close)
	b := open(&settings{wait: wait, region: "r", endpoint: h.URL, credentials: aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret", SessionToken: "token"}}, "bucket", "")
	return b
}

// TestSilence: a server that no longer reads, or writes, is an error after a while.
func TestSilence(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	silent := func(http.ResponseWriter, *http.Request) { <-done }
	begun := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-done
	}
	for _, answer := range []func(http.ResponseWriter, *http.Request){silent, begun} {
		b := lying(t, 50*time.Millisecond, answer)
		_, listed := b.List(t.Context(), "x")
		_, _, read := b.Read(t.Context(), "x", 100)
		for _, err := range []error{listed, read, b.Replace(t.Context(), "x", bytes.Repeat([]byte("x"), 20<<20), "")} {
			if err == nil || !strings.Contains(err.Error(), "check AWS_ENDPOINT_URL") {
				t.Error(err)
			}
		}
	}
}

// TestInterrupted: a completion that does not end ends with its context.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := lying(t, time.Minute, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if err := b.Move(ctx, [][2]string{{uploadPath("1"), "x"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRedirect: a server that sends requests on to another one is an error that names it, and that one gets nothing.
func TestRedirect(t *testing.T) {
	var got atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		b := lying(t, time.Minute, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+r.URL.Path, status) })
		_, listed := b.List(t.Context(), "x")
		_, _, read := b.Read(t.Context(), "x", 1)
		for _, err := range []error{listed, read, b.Replace(t.Context(), "x", []byte("x"), ""), b.Remove(t.Context(), []string{"x"})} {
			if err == nil || !strings.Contains(err.Error(), other.URL) || !strings.Contains(err.Error(), "does not get the credentials") {
				t.Errorf("status %d: %v", status, err)
			}
		}
	}
	if n := got.Load(); n > 0 {
		t.Errorf("the other server got %d requests", n)
	}
}
