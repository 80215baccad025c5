package remotewrite

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pmtools/lib/safefile/safefiletest"
)

// live returns a live Block of some series.
func live(n uint64) *Block {
	var r Request
	for i := range uint64(3) {
		r.Add(of(EncodeLabels(Label{"__name__", fmt.Sprint("x", i+n/4)})), int64(n+1), float64(n*i))
	}
	b := r.Block()
	b.Alike = true
	return &b
}

// work puts n Blocks into a queue, and acknowledges those that came four before.
func work(q *Queue, n uint64, told func(kind string, number uint64)) (put map[uint64]*Block) {
	q.uses = 3
	put = make(map[uint64]*Block)
	for i := range n {
		b := live(i)
		number := q.next
		if err := q.Put(b); err == nil {
			put[number] = b
			told("put", number)
		}
		if e, _ := q.ready(0); e != nil && len(q.list) > 4 {
			told("taken", e.number)
			delete(put, e.number)
			q.acknowledge(e)
		}
	}
	return put
}

// TestCrash: after a loss of power at any time the queue has each request that it had taken, and that has not been acknowledged, and it
// can read all that it has. It may have acknowledged ones again.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		q, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Sync: true})
		if err != nil {
			t.Fatal(err)
		}
		work(q, 12, func(kind string, number uint64) { mark(fmt.Sprint(kind, " ", number)) })
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 64, func(dir string, marks []string) error {
		wanted := make(map[uint64]bool)
		for _, mark := range marks {
			var kind string
			var number uint64
			if _, err := fmt.Sscan(mark, &kind, &number); err != nil {
				return err
			}
			if wanted[number] = true; kind == "taken" {
				delete(wanted, number)
			}
		}
		return reopen(dir, wanted)
	})
}

// reopen checks that a queue has the wanted requests, and nothing that cannot be read.
func reopen(dir string, wanted map[uint64]bool) error {
	var strange error
	q, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Warn: func(err error) { strange = err }})
	if err != nil {
		return err
	}
	defer q.lock.Close()
	for _, e := range q.list {
		b, err := q.load(e)
		if err != nil {
			return err
		}
		if want := live(e.number); !bytes.Equal(b.message1(), want.message1()) {
			return fmt.Errorf("request %d has changed", e.number)
		}
		delete(wanted, e.number)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("the requests %d are lost", slices.Sorted(maps.Keys(wanted)))
	}
	return strange
}

// TestFaults: each call of the file system fails once, and from there on, in each way. The queue has what Put has taken, and the next
// process works.
func TestFaults(t *testing.T) {
	for f := range safefiletest.Faults(t, 1) {
		dir := t.TempDir()
		var put map[uint64]*Block
		f.During(func() {
			q, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Sync: true})
			if err == nil {
				put = work(q, 9, func(string, uint64) {})
				q.lock.Close()
			}
		})
		again, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		for _, x := range again.list {
			if b, err := again.load(x); err != nil && put[x.number] != nil {
				t.Errorf("%v: %v", f, err)
			} else if want := put[x.number]; want != nil && bytes.Equal(b.message1(), want.message1()) {
				delete(put, x.number)
			}
		}
		if len(put) > 0 {
			t.Errorf("%v: %d requests are lost", f, len(put))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished)); left != nil {
			t.Errorf("%v: %q are left", f, left)
		}
		if err := again.Put(live(again.next)); err != nil {
			t.Errorf("%v: the next request: %v", f, err)
		}
		again.lock.Close()
	}
}

// TestTorn: files that were not synced may be cut, empty or full of zeros after a loss of power. None of them is taken for what it is not.
func TestTorn(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	q, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	put := work(q, 20, func(string, uint64) {})
	q.lock.Close()
	whole := os.DirFS(dir)
	for range 100 {
		torn := t.TempDir()
		if err := os.CopyFS(torn, whole); err != nil {
			t.Fatal(err)
		}
		list, _ := filepath.Glob(filepath.Join(torn, "*"))
		for _, path := range list {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			switch r.IntN(6) {
			case 0:
				text = text[:r.IntN(len(text))]
			case 1:
				clear(text[r.IntN(len(text)):])
			case 2:
				text = nil
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		q, err := OpenQueue(&QueueOptions{Dir: torn, Max: 1 << 40})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, e := range q.list {
			if b, err := q.load(e); err == nil && !bytes.Equal(b.message1(), put[e.number].message1()) {
				t.Errorf("seed %d: request %d has changed", seed, e.number)
			}
		}
		q.lock.Close()
	}
}
