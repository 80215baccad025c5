package remotewrite_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/remotewrite"
)

// open opens a queue, and notes what it warns of.
func open(t *testing.T, dir string, warned *[]string) *remotewrite.Queue {
	t.Helper()
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large, Warn: func(err error) { *warned = append(*warned, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// fill opens a queue, puts samples with the times 1 to n into it, and leaves it.
func fill(t *testing.T, dir string, n int) {
	t.Helper()
	q := open(t, dir, nil)
	for i := range n {
		if err := q.Put(body(int64(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// drained sends what a queue has, and returns the times of the samples and what was reported.
func drained(t *testing.T, q *remotewrite.Queue) (got []int64, rep remotewrite.Report, reported []string) {
	t.Helper()
	q.Finish()
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	defer srv.Close()
	rep, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { reported = append(reported, err.Error()) })
	if err == nil {
		err = q.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return times(d), rep, reported
}

// draining sends what a queue gets to a database, until end is called.
func draining(t *testing.T, q *remotewrite.Queue) (d *remotewritetest.Database, end func() remotewrite.Report) {
	d = &remotewritetest.Database{}
	srv, ended := httptest.NewServer(d), make(chan remotewrite.Report)
	go func() {
		rep, _ := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) {})
		ended <- rep
	}()
	return d, func() remotewrite.Report {
		q.Finish()
		defer srv.Close()
		return <-ended
	}
}

// names returns the names of the files in a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}

// TestResumed: the next process sends what one has left, in its order; files that are not of the
// queue, or not whole, stay out of it.
func TestResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	fill(t, dir, 12)
	strange := []string{
		"ffffffffffffffff-0-0-1-00000000.write", "000000000000000c-0-0-99999999999-00000000.write", "000000000000000c-0-0--3-00000000.write", "000000000000000c-13-0-1-00000000.write",
		"000000000000000c-0-13-1-00000000.write", "000000000000000c-0-0-0-00000000.write", "00x-0-0-1-00000000.write", "000000000000000c-3.write", "000000000000000c-1-00000000.write", "000000000000000c-0-0-1-00000000.key.write",
	}
	for _, name := range append([]string{"0000000000000000-0-0-1-00000000.write.tmp", "mine", "mine.tmp", "mine.write.tmp"}, strange...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("mine", filepath.Join(dir, "000000000000000d-0-0-1-00000000.write")); err == nil {
		strange = append(strange, "000000000000000d-0-0-1-00000000.write")
	}
	next := body(13)
	b := file(t, next)
	mine := fmt.Sprintf("000000000000000c-0-0-1-%08x.write", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) // as the next request would be
	for _, name := range []string{"000000000000000e-0-0-1-00000000.write", mine} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		strange = append(strange, name)
	}
	var warned []string
	q := open(t, dir, &warned)
	if q.Waiting() != 12 || len(warned) != len(strange) || !strings.HasSuffix(warned[0], " is not a request of the queue, and is left alone") {
		t.Fatalf("%d wait, %q", q.Waiting(), warned)
	}
	if err := q.Put(next); err != nil {
		t.Fatal(err)
	}
	got, rep, reported := drained(t, q)
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}; !slices.Equal(got, want) || rep != (remotewrite.Report{Sent: 13}) || reported != nil {
		t.Errorf("%v, %+v, %q", got, rep, reported)
	}
	if left := names(t, dir); len(left) != len(strange)+3 {
		t.Errorf("%q are left", left)
	}
}

// file returns the file in which a request is stored.
func file(t *testing.T, b *remotewrite.Block) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "q")
	q := open(t, dir, nil)
	if err := q.Put(b); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, names(t, dir)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDamaged: a file that is cut anywhere, or has another bit anywhere, is not sent; that is reported,
// and the file stays under another name.
func TestDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	whole := file(t, body(1))
	bad := [][]byte{append(slices.Clone(whole), 0), []byte("\xff\xff\xff\xff\x0f")}
	for n := range whole {
		bad = append(bad, whole[:n])
	}
	for i := range 8 * len(whole) {
		flipped := slices.Clone(whole)
		flipped[i/8] ^= 1 << (i % 8)
		bad = append(bad, flipped)
	}
	q := open(t, dir, nil)
	for range len(bad) + 1 {
		if err := q.Put(body(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	files := names(t, dir)
	for i := range bad {
		if err := os.WriteFile(filepath.Join(dir, files[i]), bad[i], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var warned []string
	got, rep, reported := drained(t, open(t, dir, &warned))
	if !slices.Equal(got, []int64{1}) || rep != (remotewrite.Report{Sent: 1, Damaged: len(bad)}) || warned != nil {
		t.Errorf("%v, %+v, %q", got, rep, warned)
	}
	left := names(t, dir)
	for i := range bad {
		if want := files[i] + ".damaged"; left[i] != want || !strings.HasSuffix(reported[i], want+": not as it was written") {
			t.Fatalf("case %d: reported %q, left %q", i, reported[i], left[i])
		}
	}
}

// TestGone: a file that goes while it waits is missed.
func TestGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	fill(t, dir, 2)
	var warned []string
	q := open(t, dir, &warned)
	if err := os.Remove(filepath.Join(dir, names(t, dir)[0])); err != nil {
		t.Fatal(err)
	}
	got, rep, reported := drained(t, q)
	if !slices.Equal(got, []int64{2}) || rep != (remotewrite.Report{Sent: 1, Damaged: 1}) {
		t.Errorf("%v, %+v, %q", got, rep, reported)
	} else if len(reported) != 1 || !strings.HasPrefix(reported[0], "1 samples of the queue cannot be sent: ") {
		t.Errorf("%v, %+v, %q", got, rep, reported)
	}
}

// TestLocked: two cannot use one queue; when the first one has ended the second one can.
func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	opt := &remotewrite.QueueOptions{Dir: dir, Max: large, Sync: true}
	q, err := remotewrite.OpenQueue(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Put(body(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := remotewrite.OpenQueue(opt); !errors.Is(err, remotewrite.ErrLocked) {
		t.Errorf("%v", err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if q, err = remotewrite.OpenQueue(opt); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFull: a queue takes no more than it may; one that waits goes on when there is room.
func TestFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	const size = 4096
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: 2 * size, Keep: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, nil, remotewrite.ErrFull} {
		if err := q.Put(body(int64(i + 1))); !errors.Is(err, want) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.PutWait(ctx, body(3)); !errors.Is(err, context.Canceled) {
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
		if err := q.PutWait(t.Context(), body(int64(i))); err != nil {
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
	if left := names(t, dir); left != nil {
		t.Errorf("%q are left", left)
	}
	huge, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: 1, Keep: 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.PutWait(t.Context(), body(1)); !errors.Is(err, remotewrite.ErrFull) { // it would wait for ever
		t.Error(err)
	}
}

// TestRoom: copies of what the server has taken make room for what it has not, also when they are
// to be sent once more.
func TestRoom(t *testing.T) {
	const size = 4096
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: filepath.Join(t.TempDir(), "q"), Max: 3 * size, Keep: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var broken atomic.Bool
	d := &remotewritetest.Database{Before: func(http.ResponseWriter, *http.Request) bool {
		if broken.Load() {
			panic(http.ErrAbortHandler)
		}
		return false
	}}
	srv := httptest.NewServer(d)
	defer srv.Close()
	failed, ended := make(chan struct{}, 100), make(chan remotewrite.Report)
	go func() {
		rep, _ := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(error) { failed <- struct{}{} })
		ended <- rep
	}()
	for i := range 3 {
		if err := q.Put(body(int64(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	for begun := time.Now(); q.Waiting() > 0 && time.Since(begun) < long; {
		time.Sleep(time.Millisecond)
	}
	broken.Store(true)
	for i, want := range []error{nil, nil, nil, remotewrite.ErrFull} {
		if err := q.Put(body(int64(i + 4))); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", i+4, err, want)
		}
		if i == 0 {
			<-failed
		}
	}
	broken.Store(false)
	q.Finish()
	if rep := <-ended; rep != (remotewrite.Report{Sent: 6}) || !slices.Equal(times(d), []int64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%+v, %v", rep, times(d))
	}
}

// TestNoDisk: a request that cannot be written is an error, and leaves nothing behind.
func TestNoDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large, Keep: 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(body(1)); err == nil || q.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, q.Waiting())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(body(1)); err != nil || q.Waiting() != 1 {
		t.Errorf("%v, %d wait", err, q.Waiting())
	}
	if _, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: filepath.Join(dir, names(t, dir)[0]), Max: 1, Keep: 0}); err == nil {
		t.Error("a file is no queue")
	}
}
