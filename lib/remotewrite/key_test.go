package remotewrite_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/remotewrite"
)

// alike returns a live request of the series x with one sample.
func alike(ms int64) *remotewrite.Block {
	b := body(ms)
	b.Alike = true
	return b
}

// left is a queue in which a process that was killed has left n live requests.
func left(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "q")
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := q.Put(alike(int64(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	// A process that is killed does not close the queue; a copy of its files has no lock.
	killed := filepath.Join(t.TempDir(), "killed")
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return killed
}

// upTo returns the numbers from a to b.
func upTo(a, b int64) (list []int64) {
	for ; a <= b; a++ {
		list = append(list, a)
	}
	return list
}

// TestKeys: live requests are stored as differences, which the next process sends too; nothing is left then.
func TestKeys(t *testing.T) {
	dir := left(t, 150)
	if name := names(t, dir)[1]; !strings.HasPrefix(name, "0000000000000001-0-1-1-") {
		t.Errorf("%s is not a difference to the first", name)
	}
	var warned []string
	q := open(t, dir, &warned)
	got, rep, reported := drained(t, q)
	if !slices.Equal(got, upTo(1, 150)) || rep != (remotewrite.Report{Sent: 150}) {
		t.Errorf("%v, %+v", got, rep)
	}
	if reported != nil || warned != nil {
		t.Errorf("%q, %q", reported, warned)
	}
	if list := names(t, dir); list != nil {
		t.Errorf("%q are left", list)
	}
}

// TestKeyNeeded: the file of an acknowledged key stays as long as differences to it wait, for the next process too.
func TestKeyNeeded(t *testing.T) {
	dir := left(t, 5)
	list := names(t, dir)
	if err := os.Rename(filepath.Join(dir, list[0]), filepath.Join(dir, strings.TrimSuffix(list[0], ".write")+".key")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, list[2])); err != nil {
		t.Fatal(err)
	}
	q := open(t, dir, nil)
	got, rep, reported := drained(t, q)
	if !slices.Equal(got, []int64{2, 4, 5}) || rep != (remotewrite.Report{Sent: 3}) {
		t.Errorf("%v, %+v", got, rep)
	}
	if reported != nil || names(t, dir) != nil {
		t.Errorf("%q, %q", reported, names(t, dir))
	}
	if size := q.Bytes(); size != 0 {
		t.Errorf("%d bytes are left", size)
	}
}

// TestKeyDamaged: a key that is damaged or gone takes its differences with it, and no others; each is reported.
func TestKeyDamaged(t *testing.T) {
	for _, gone := range []bool{false, true} {
		dir := left(t, 70)
		list := names(t, dir)
		lost := 64
		if path := filepath.Join(dir, list[0]); gone {
			os.Remove(path)
			lost--
		} else if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		q := open(t, dir, nil)
		got, rep, reported := drained(t, q)
		if !slices.Equal(got, upTo(65, 70)) || rep != (remotewrite.Report{Sent: 6, Damaged: lost}) {
			t.Errorf("gone %v: %v, %+v", gone, got, rep)
		}
		if len(reported) != lost || q.Bytes() != 0 {
			t.Fatalf("gone %v: %d bytes, %q", gone, q.Bytes(), reported)
		}
		if text := reported[len(reported)-1]; !strings.Contains(text, ".write.damaged: it is stored as the difference to another file: ") {
			t.Errorf("reported %q", text)
		}
	}
}

// TestKeyKept: the key of a queue that is in use outlives its own request.
func TestKeyKept(t *testing.T) {
	for _, keep := range []time.Duration{0, time.Hour} {
		dir := filepath.Join(t.TempDir(), "q")
		q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		d, end := draining(t, q)
		for i := range int64(200) {
			if err := q.Put(alike(i + 1)); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); i%10 == 0 && q.Waiting() > 0 && time.Since(begun) < long; {
				time.Sleep(time.Millisecond)
			}
		}
		if rep := end(); rep != (remotewrite.Report{Sent: 200}) || !slices.Equal(times(d), upTo(1, 200)) {
			t.Errorf("%+v, %v", rep, times(d))
		}
		if err := q.Close(); err != nil || names(t, dir) != nil || q.Bytes() != 0 {
			t.Errorf("%v, %q, %d bytes", err, names(t, dir), q.Bytes())
		}
	}
}

// TestReadOnly: a directory that cannot be written is an error at once.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "probe.tmp", "x"), 0o700); err != nil { // root may write everywhere
		t.Fatal(err)
	}
	if _, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: large}); err == nil {
		t.Error("the queue is open")
	}
}
