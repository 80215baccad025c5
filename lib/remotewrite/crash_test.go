package remotewrite

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// An operation is one of a disk, or a mark between two of them.
type operation struct {
	kind     string // "create", "rename", "remove", "sync", or "put" and "taken" for what the process has been told
	name, to string
	text     []byte
	synced   bool
	number   uint64
}

// A recorder is a disk that notes operations.
type recorder struct {
	systemDisk
	list []operation
}

func (r *recorder) note(o operation) {
	o.name, o.to = filepath.Base(o.name), filepath.Base(o.to)
	r.list = append(r.list, o)
}

func (r *recorder) create(path string, text []byte, sync bool) error {
	r.note(operation{kind: "create", name: path, text: text, synced: sync})
	return r.systemDisk.create(path, text, sync)
}

func (r *recorder) rename(from, to string) error {
	r.note(operation{kind: "rename", name: from, to: to})
	return r.systemDisk.rename(from, to)
}

func (r *recorder) remove(path string) error {
	r.note(operation{kind: "remove", name: path})
	return r.systemDisk.remove(path)
}

func (r *recorder) syncDir(dir string) error {
	r.note(operation{kind: "sync"})
	return r.systemDisk.syncDir(dir)
}

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
	q.packer.uses = 3
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

// TestCrash: after a loss of power at any time the queue has each request that it had taken, and that has not been acknowledged: for
// every set of names that may be on the disk then. It may have acknowledged ones again.
func TestCrash(t *testing.T) {
	rec := &recorder{}
	q, err := OpenQueue(&QueueOptions{Dir: t.TempDir(), Max: 1 << 40, Sync: true, disk: rec})
	if err != nil {
		t.Fatal(err)
	}
	work(q, 12, func(kind string, number uint64) { rec.list = append(rec.list, operation{kind: kind, number: number}) })
	images := 0
	durable, wanted := make(map[string][]byte), make(map[uint64]bool)
	content := make(map[string][]byte) // of files, under the names that they have had
	var pending []operation
	for i, o := range rec.list {
		switch o.kind {
		case "sync":
			durable, pending = image(durable, content, pending, func(int) bool { return true }), nil
		case "put":
			wanted[o.number] = true
		case "taken":
			delete(wanted, o.number)
		default:
			pending = append(pending, o)
		}
		if o.kind == "create" {
			content[o.name] = o.text
		} else if o.kind == "rename" {
			content[o.to] = content[o.name]
		}
		if len(pending) > 10 {
			t.Fatalf("%d operations are pending", len(pending))
		}
		for set := range 1 << len(pending) {
			files := image(durable, content, pending, func(i int) bool { return set&(1<<i) != 0 })
			reopen(t, fmt.Sprintf("operation %d, set %b", i, set), files, wanted)
			images++
		}
	}
	t.Logf("%d operations, %d images", len(rec.list), images)
}

// image returns the files after those of the pending operations that have come to the disk.
func image(durable, content map[string][]byte, pending []operation, has func(i int) bool) map[string][]byte {
	files := maps.Clone(durable)
	for i, o := range pending {
		switch {
		case !has(i):
		case o.kind == "create":
			files[o.name] = o.text
		case o.kind == "rename":
			delete(files, o.name)
			files[o.to] = content[o.name]
		case o.kind == "remove":
			delete(files, o.name)
		}
	}
	return files
}

// reopen opens a queue of such files, and checks that it has the wanted requests, and nothing that cannot be read.
func reopen(t *testing.T, name string, files map[string][]byte, wanted map[uint64]bool) {
	t.Helper()
	dir := t.TempDir()
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q, err := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Warn: func(err error) { t.Errorf("%s: %v", name, err) }})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	found := make(map[uint64]bool)
	for _, e := range q.list {
		b, err := q.read(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := live(e.number); !bytes.Equal(b.message1(), want.message1()) {
			t.Errorf("%s: request %d has changed", name, e.number)
		}
		found[e.number] = true
	}
	for number := range wanted {
		if !found[number] {
			t.Fatalf("%s: request %d is lost; there are %q", name, number, slices.Sorted(maps.Keys(files)))
		}
	}
	q.spool.close()
}

// A faulty disk fails at one operation.
type faulty struct {
	systemDisk
	left int // operations before that
	err  error
}

func (f *faulty) fails() error {
	if f.left--; f.left == -1 {
		return f.err
	}
	return nil
}

func (f *faulty) create(path string, text []byte, sync bool) error {
	if err := f.fails(); err != nil {
		_ = f.systemDisk.create(path, text[:len(text)/2], sync)
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return f.systemDisk.create(path, text, sync)
}

func (f *faulty) rename(from, to string) error {
	if err := f.fails(); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return f.systemDisk.rename(from, to)
}

func (f *faulty) remove(path string) error {
	if err := f.fails(); err != nil {
		return &os.PathError{Op: "remove", Path: path, Err: err}
	}
	return f.systemDisk.remove(path)
}

func (f *faulty) syncDir(dir string) error {
	if err := f.fails(); err != nil {
		return &os.PathError{Op: "sync", Path: dir, Err: err}
	}
	return f.systemDisk.syncDir(dir)
}

// TestFaults: each operation of the disk fails once, in each way. What Put has taken is there, and the next process works.
func TestFaults(t *testing.T) {
	errs := []error{syscall.ENOSPC, syscall.EIO, syscall.EMFILE, syscall.EACCES, syscall.EINTR}
	for n := 0; ; n++ {
		err := errs[n%len(errs)]
		f, dir := &faulty{left: n, err: err}, t.TempDir()
		q, opened := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Sync: true, disk: f})
		var put map[uint64]*Block
		if opened == nil {
			put = work(q, 9, func(string, uint64) {})
			q.spool.close()
		}
		again, e := OpenQueue(&QueueOptions{Dir: dir, Max: 1 << 40, Warn: func(err error) { t.Error(err) }})
		if e != nil {
			t.Fatalf("%v at operation %d: %v", err, n, e)
		}
		for _, x := range again.list {
			if b, e := again.read(x); e != nil && put[x.number] != nil {
				t.Errorf("%v at operation %d: %v", err, n, e)
			} else if want := put[x.number]; want != nil && bytes.Equal(b.message1(), want.message1()) {
				delete(put, x.number)
			}
		}
		if len(put) > 0 {
			t.Errorf("%v at operation %d: %d requests are lost", err, n, len(put))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished)); left != nil {
			t.Errorf("%v at operation %d: %q are left", err, n, left)
		}
		again.spool.close()
		if f.left >= 0 {
			t.Logf("%d operations", n)
			return
		}
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
	q.spool.close()
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
			if b, err := q.read(e); err == nil && !bytes.Equal(b.message1(), put[e.number].message1()) {
				t.Errorf("seed %d: request %d has changed", seed, e.number)
			}
		}
		q.spool.close()
	}
}
