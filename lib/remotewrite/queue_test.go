package remotewrite_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/remotewrite"
	"pmtools/lib/remotewrite/remotewritetest"
)

// TestResumed: the next process sends what one has left, in its order; files that are not of the
// queue, or not whole, stay out of it.
func TestResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	q, err := remotewrite.OpenQueue(dir, large, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if err := q.Put(body(int64(i+1)), 1); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"0000000000000000-1.write.tmp": "half", "mine": "text", "000000000000000c-3.write": "damaged", "00x-1.write": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if q, err = remotewrite.OpenQueue(dir, large, 0); err != nil || q.Waiting() != 15 {
		t.Fatal(q.Waiting(), err)
	}
	if err := q.Put(body(13), 1); err != nil {
		t.Fatal(err)
	}
	q.Finish()
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	defer srv.Close()
	var said []string
	rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { said = append(said, err.Error()) })
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}; err != nil || !slices.Equal(times(d), want) || rep != (remotewrite.Report{Sent: 13, Refused: 3}) {
		t.Errorf("%v, %+v, %v", times(d), rep, err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "000000000000000c-3.write in the queue is damaged") {
		t.Errorf("said %q", said)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestFull: a queue takes no more than it may; one that waits goes on when there is room.
func TestFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	size := int64(len(body(1)))
	q, err := remotewrite.OpenQueue(dir, 2*size, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, nil, remotewrite.ErrFull} {
		if err := q.Put(body(int64(i+1)), 1); !errors.Is(err, want) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.PutWait(ctx, body(3), 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	defer srv.Close()
	drained := make(chan remotewrite.Report)
	go func() {
		rep, _ := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
		drained <- rep
	}()
	for i := 3; i <= 20; i++ { // what has been sent is kept no longer than there is room
		if err := q.PutWait(t.Context(), body(int64(i)), 1); err != nil {
			t.Fatal(err)
		}
	}
	q.Finish()
	if rep := <-drained; rep.Sent != 20 || len(times(d)) != 20 {
		t.Errorf("%+v, %v", rep, times(d))
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	huge, err := remotewrite.OpenQueue(dir, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.PutWait(t.Context(), body(1), 1); !errors.Is(err, remotewrite.ErrFull) { // it would wait for ever
		t.Error(err)
	}
}

// TestNoDisk: a request that cannot be written is an error, and leaves nothing behind.
func TestNoDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	q, err := remotewrite.OpenQueue(dir, large, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(body(1), 1); err == nil || q.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, q.Waiting())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(body(1), 1); err != nil || q.Waiting() != 1 {
		t.Errorf("%v, %d wait", err, q.Waiting())
	}
	if _, err := remotewrite.OpenQueue(filepath.Join(dir, "0000000000000000-1.write"), 1, 0); err == nil {
		t.Error("a file is no queue")
	}
}
