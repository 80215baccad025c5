package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pmtools/lib/pmerr"
)

// lying returns a bucket of a server that answers so.
func lying(t *testing.T, wait time.Duration, answer func(w http.ResponseWriter, r *http.Request)) *Bucket {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(h.Close)
	b := open(&settings{wait: wait, region: "r", endpoint: h.URL, credentials: aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret", SessionToken: "token"}}, "bucket", "")
	b.most, b.patience = 5000, time.Second/2
	return b
}

// endless writes a text until nobody reads it any more.
func endless(w io.Writer, begin, text string) {
	_, err := io.WriteString(w, begin)
	for text = strings.Repeat(text, 1000); err == nil; {
		_, err = io.WriteString(w, text)
	}
}

// TestLies: answers that do not end are errors, after a little time and memory.
func TestLies(t *testing.T) {
	list := func(ctx context.Context, b *Bucket) error { _, err := b.List(ctx, "x"); return err }
	read := func(ctx context.Context, b *Bucket) error { _, _, err := b.Read(ctx, "x", 1<<20); return err }
	move := func(ctx context.Context, b *Bucket) error { return b.Move(ctx, [][2]string{{uploadPath("1"), "x"}}) }
	pages := 0
	for _, tt := range []struct {
		what   string
		answer func(w http.ResponseWriter, r *http.Request)
		do     func(context.Context, *Bucket) error
		want   string
	}{
		{"an object", func(w http.ResponseWriter, _ *http.Request) { endless(w, "", "x") }, read, pmerr.TooBig.Error()},
		{"the length of an object", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000000000000")
			endless(w, "", "x")
		}, func(ctx context.Context, b *Bucket) error { _, err := b.Open(ctx, "x"); return err }, pmerr.TooBig.Error()},
		{"an error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			endless(w, "<Error><Code>X</Code><Message>", "x")
		}, read, pmerr.TooBig.Error()},
		{"a page of a list", func(w http.ResponseWriter, _ *http.Request) {
			endless(w, "<ListBucketResult>", "<Contents><Key>x/a</Key></Contents>")
		}, list, pmerr.TooBig.Error()},
		{"a list", func(w http.ResponseWriter, _ *http.Request) {
			pages++
			fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>%s</ListBucketResult>",
				pages, strings.Repeat("<Contents><Key>x/a</Key></Contents>", 1000))
		}, list, pmerr.TooBig.Error()},
		{"a list of empty pages", func(w http.ResponseWriter, _ *http.Request) {
			pages++
			fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", pages)
		}, list, pmerr.TooBig.Error()},
		{"the same token", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>")
		}, list, pmerr.TooBig.Error()},
		{"the same part", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker></ListPartsResult>")
		}, move, pmerr.TooBig.Error()},
		{"a completion", func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				io.WriteString(w, "<ListPartsResult></ListPartsResult>")
				return
			}
			io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, move, "has not completed it within 500ms"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			b := lying(t, time.Minute, tt.answer)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := tt.do(ctx, b); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
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
	b.patience = time.Hour
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
