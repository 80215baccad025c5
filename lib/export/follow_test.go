package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// A logger writes an archive: two records a minute, of a string and of a counter with instances.
type logger struct {
	t *testing.T
	w *archive.Writer
	n int // records
}

// newLogger begins an archive whose volumes hold about four records.
func newLogger(t *testing.T, base string) *logger {
	t.Helper()
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h", VolumeBytes: 1500})
	if err != nil {
		t.Fatal(err)
	}
	l := &logger{t: t, w: w}
	l.must(w.AddMetric(pcp.Desc{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: 60<<22 | 1, Sem: pcp.Counter}, "a.count"))
	l.must(w.AddMetric(pcp.Desc{ID: pcp.NewID(60, 0, 2), Type: pcp.String, InDom: pcp.NullInDom}, "a.text"))
	return l
}

// must ends the test on an error.
func (l *logger) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// put writes records, each with an instance more than the one before.
func (l *logger) put(records int) {
	l.t.Helper()
	for range records {
		var insts []pcp.Instance
		var r pcp.Result
		r.Time = pcp.Timestamp{Sec: 1700000000 + int64(l.n)*30}
		count := pcp.Values{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64}
		for i := range int32(l.n + 1) {
			insts = append(insts, pcp.Instance{ID: i, Name: fmt.Sprintf("i%d", i)})
			count.Insts, count.Words = append(count.Insts, i), append(count.Words, uint64(l.n)*1000+uint64(i))
		}
		l.must(l.w.SetInDom(r.Time, 60<<22|1, insts))
		text := pcp.Values{ID: pcp.NewID(60, 0, 2), Type: pcp.String, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{fmt.Appendf(nil, "text %d", l.n)}}
		r.Sets = []pcp.Values{count, text}
		if l.n >= 9 { // a metric that was not there at first
			id := pcp.NewID(60, 0, 3)
			l.must(l.w.AddMetric(pcp.Desc{ID: id, Type: pcp.Double, InDom: pcp.NullInDom}, "a.late"))
			r.Sets = append(r.Sets, pcp.Values{ID: id, Type: pcp.Double, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(l.n)}})
		}
		l.must(l.w.Put(&r))
		l.n++
	}
	l.must(l.w.Flush())
}

// A follower is an export that follows an archive.
type follower struct {
	t    *testing.T
	dir  string
	stop context.CancelFunc
	done chan error
}

// follow begins to follow an archive.
func follow(t *testing.T, base, dir string) *follower {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	x := following(filepath.Dir(base), dir, Partition{})
	x.Archive = filepath.Base(base)
	f := &follower{t: t, dir: dir, stop: stop, done: make(chan error, 1)}
	go func() { f.done <- errors.Join(x.Run(ctx)...) }()
	return f
}

// files returns the files of values.
func (f *follower) files() []string {
	return filesOf(f.dir, "values")
}

// await waits until there are that many files.
func (f *follower) await(n int) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); len(f.files()) < n; time.Sleep(time.Millisecond) {
		select {
		case err := <-f.done:
			f.t.Fatalf("ended with %d files, want %d: %v", len(f.files()), n, err)
		default:
		}
		if time.Now().After(end) {
			f.t.Fatalf("%d files, want %d", len(f.files()), n)
		}
	}
}

// all waits for all that the archive has: a file may have the first of two records.
func (f *follower) all(base string) {
	f.t.Helper()
	want := len(recorded(f.t, base))
	for files := f.files(); len(exported(f.t, files)) < want; files = f.files() {
		f.await(len(files) + 1)
	}
}

// end ends the export.
func (f *follower) end() {
	f.t.Helper()
	f.stop()
	if err := <-f.done; err != nil {
		f.t.Fatal(err)
	}
}

// TestFollow: new records are a file, the rows are those of the archive, and
// an export that is started again goes on without losing or doubling any.
func TestFollow(t *testing.T) {
	base, dir := filepath.Join(t.TempDir(), "grows"), t.TempDir()
	l := newLogger(t, base)
	l.put(3)
	f := follow(t, base, dir)
	f.all(base)
	l.put(2)
	f.all(base)
	f.end()
	before := f.files()
	l.put(4)
	f = follow(t, base, dir)
	f.all(base)
	if after := f.files(); len(after) == len(before) || !slices.Equal(after[:len(before)], before) {
		t.Errorf("files\n%q\nwere\n%q", after, before)
	}
	for range 6 {
		l.put(2)
		f.all(base)
	}
	f.end()
	if volumes, _ := filepath.Glob(base + ".[0-9]*"); len(volumes) < 3 {
		t.Errorf("%d volumes", len(volumes))
	}
	l.must(l.w.Close())
	got, want := exported(t, f.files()), recorded(t, base)
	if !slices.Equal(got, want) {
		t.Errorf("got %d rows\n%q\nwant %d\n%q", len(got), got, len(want), want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, manifestDir, "*", "export-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFollowTail: a record at the end that is not there as a complete yet is waited for.
func TestFollowTail(t *testing.T) {
	base, dir := filepath.Join(t.TempDir(), "grows"), t.TempDir()
	l := newLogger(t, base)
	l.put(4)
	complete, err := os.ReadFile(base + ".0")
	l.must(err)
	l.must(os.Truncate(base+".0", int64(len(complete)-20)))
	f := follow(t, base, dir)
	f.await(1)
	l.must(os.WriteFile(base+".0", complete, 0o666))
	l.put(1)
	f.all(base)
	f.end()
	got, want := exported(t, f.files()), recorded(t, base)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
