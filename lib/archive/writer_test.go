package archive_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// newWriter begins an archive and returns the writer with the base name. It is closed in any state
// at the end of the test.
func newWriter(t testing.TB, opt *archive.WriterOptions) (*archive.Writer, string) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "new")
	w, err := archive.Create(base, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, base
}

// must fails the test at the first of several errors.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// seconds returns the time so many seconds after that of the examples.
func seconds(n int64) pcp.Timestamp { return pcp.Timestamp{Sec: stampV3.Sec + n} }

// The metric of most tests, and a value of it.
var (
	miniDesc = pcp.Desc{ID: pcp.NewID(245, 0, 1), Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}
	setDesc  = pcp.Desc{ID: pcp.NewID(245, 0, 2), Type: pcp.Uint64, InDom: testDom, Sem: pcp.Counter}
)

// mini returns a record with one value of the metric miniDesc.
func mini(at pcp.Timestamp, value int32) *pcp.Result {
	return &pcp.Result{Time: at, Sets: []pcp.Values{
		{ID: miniDesc.ID, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(int64(value))}},
	}}
}

// file returns the content of a file of an archive after the label.
func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	size := 808
	if len(b) > 7 && b[7] == 2 {
		size = 132
	}
	if len(b) < size {
		t.Fatalf("%s has %d bytes", name, len(b))
	}
	return b[size:]
}

// TestMinimal compares whole archives with those of archive.md A19, but for the last index entry:
// there it points after the last record, here to its start.
func TestMinimal(t *testing.T) {
	desc := `0000002e 00000001 3d400001 00000000 ffffffff 00000003 00000000 00000001 00000006 "mini.x" 0000002e`
	tests := []struct {
		name    string
		version int
		data    string
		index   string
	}{
		{"version 2", 2, `00000028 6553f100 00000000 00000001 3d400001 00000001 00000000 ffffffff 00000007 00000028
			00000028 6553f101 00000000 00000001 3d400001 00000001 00000000 ffffffff 00000009 00000028`,
			`6553f100 00000000 00000000 00000084 00000084 6553f101 00000000 00000000 000000b2 000000ac`},
		{"version 3", 3, `0000002c 6553f100 00000000 00000000 00000001 3d400001 00000001 00000000 ffffffff 00000007 0000002c
			0000002c 6553f101 00000000 00000000 00000001 3d400001 00000001 00000000 ffffffff 00000009 0000002c`,
			`6553f100 00000000 00000000 00000000 0000000000000328 0000000000000328
			6553f101 00000000 00000000 00000000 0000000000000356 0000000000000354`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, &archive.WriterOptions{Version: tt.version, Host: "specbox", PID: 4242})
			must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(0), 7)), w.Put(mini(seconds(1), 9)), w.Close())
			for suffix, want := range map[string]string{".meta": desc, ".0": tt.data, ".index": tt.index} {
				got, want := file(t, base+suffix), record(t, strings.Join(strings.Fields(want), " "))
				if string(got) != string(want) {
					t.Errorf("%s\ngot  %x\nwant %x", suffix, got, want)
				}
			}
			for suffix, volume := range map[string]int32{".meta": -1, ".0": 0, ".index": -2} {
				want := archive.AppendLabel(nil, &archive.Label{Version: tt.version, PID: 4242, Start: seconds(0), Volume: volume,
					Host: "specbox", Zone: "UTC"})
				if b, _ := os.ReadFile(base + suffix); !strings.HasPrefix(string(b), string(want)) {
					t.Errorf("label of %s is %x", suffix, b[:len(want)])
				}
			}
		})
	}
}

// TestBroken: after an error of the file system, here a volume that exists already, the records
// written before it are an archive.
func TestBroken(t *testing.T) {
	w, base := newWriter(t, &archive.WriterOptions{VolumeBytes: 1000})
	must(t, w.AddMetric(miniDesc, "a"))
	taken := base + ".1"
	must(t, os.WriteFile(taken, []byte("mine"), 0o666))
	var want []string
	var err error
	for i := int64(0); err == nil; i++ {
		if err = w.Put(mini(seconds(i), 7)); err == nil {
			want = append(want, fmt.Sprint(i))
		}
	}
	if len(want) < 2 {
		t.Errorf("after %q: %v", want, err)
	} else if !errors.Is(err, fs.ErrExist) || !errors.Is(w.Flush(), fs.ErrExist) || !errors.Is(w.Close(), fs.ErrExist) {
		t.Errorf("after %q: %v", want, err)
	}
	if text, err := os.ReadFile(taken); err != nil || string(text) != "mine" {
		t.Errorf("the other file is %q, %v", text, err)
	}
	must(t, os.Remove(taken))
	set, err := archive.Open(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if got := replay(set.Cursor()); got != strings.Join(want, " ")+" EOL EOL" {
		t.Errorf("%s, want %q", got, want)
	}
}

func TestCreateErrors(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name string
		opt  archive.WriterOptions
		err  error
	}{
		{"version", archive.WriterOptions{Version: 1}, pmerr.EINVAL},
		{"host", archive.WriterOptions{Host: long(256)}, pmerr.TooBig},
		{"host in version 2", archive.WriterOptions{Version: 2, Host: long(64)}, pmerr.TooBig},
		{"zone", archive.WriterOptions{Zone: long(256)}, pmerr.TooBig},
		{"zone in version 2", archive.WriterOptions{Version: 2, Zone: long(40)}, pmerr.TooBig},
		{"zoneinfo", archive.WriterOptions{ZoneInfo: long(256)}, pmerr.TooBig},
		{"volume size", archive.WriterOptions{VolumeBytes: -1}, pmerr.EINVAL},
		{"start", archive.WriterOptions{Start: pcp.Timestamp{Nsec: -1}}, pmerr.EINVAL},
		{"start in version 2", archive.WriterOptions{Version: 2, Start: pcp.Timestamp{Sec: 1 << 31}}, pmerr.TooBig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := archive.Create(filepath.Join(dir, "x"), &tt.opt); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
	for _, suffix := range []string{".meta", ".index", ".0"} {
		t.Run("exists "+suffix, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "x"+suffix), []byte("mine"), 0o600))
			if _, err := archive.Create(filepath.Join(dir, "x"), nil); !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v", err)
			}
			left, _ := os.ReadDir(dir)
			if b, _ := os.ReadFile(filepath.Join(dir, "x"+suffix)); string(b) != "mine" || len(left) != 1 {
				t.Errorf("%q, %v", b, left)
			}
		})
	}
}

// TestPutErrors makes sure that a refused record leaves no trace.
func TestPutErrors(t *testing.T) {
	change := func(f func(r *pcp.Result)) *pcp.Result {
		r := mini(seconds(2), 1)
		f(r)
		return r
	}
	tests := []struct {
		name string
		rec  *pcp.Result
		err  error
	}{
		{"empty", change(func(r *pcp.Result) { r.Sets = nil }), pmerr.TooSmall},
		{"earlier", mini(seconds(0), 1), pmerr.EINVAL},
		{"nanoseconds", change(func(r *pcp.Result) { r.Time.Nsec = 1e9 }), pmerr.EINVAL},
		{"unknown metric", change(func(r *pcp.Result) { r.Sets[0].ID++ }), pmerr.PMIDLog},
		{"metric twice", change(func(r *pcp.Result) { r.Sets = append(r.Sets, r.Sets[0]) }), pmerr.EINVAL},
		{"other type", change(func(r *pcp.Result) { r.Sets[0].Type = pcp.Uint32 }), pmerr.Type},
		{"word missing", change(func(r *pcp.Result) { r.Sets[0].Words = nil }), pmerr.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, nil)
			must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(1), 1)))
			if err := w.Put(tt.rec); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			must(t, w.Put(mini(seconds(2), 2)), w.Close())
			if n := len(file(t, base+".0")); n != 2*44 {
				t.Errorf("%d bytes of data", n)
			}
		})
	}
	t.Run("version 2 after 2038", func(t *testing.T) {
		w, _ := newWriter(t, &archive.WriterOptions{Version: 2})
		must(t, w.AddMetric(miniDesc, "mini.x"))
		if err := w.Put(mini(pcp.Timestamp{Sec: 1 << 31}, 1)); !errors.Is(err, pmerr.TooBig) {
			t.Errorf("error %v", err)
		}
	})
}

func TestMark(t *testing.T) {
	w, base := newWriter(t, nil)
	must(t, w.AddMetric(miniDesc, "mini.x"))
	if err := w.Mark(seconds(0)); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("mark first: %v", err)
	}
	must(t, w.Put(mini(seconds(1), 1)))
	for _, sec := range []int64{0, 1} {
		if err := w.Mark(seconds(sec)); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("mark at %d: %v", sec, err)
		}
	}
	must(t, w.Mark(pcp.Timestamp{Sec: stampV3.Sec + 1, Nsec: 1e6}), w.Close())
	want := record(t, "00000018 6553f101 00000000 000f4240 00000000 00000018")
	if got := file(t, base+".0")[44:]; string(got) != string(want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

func TestFloatInSitu(t *testing.T) {
	desc := pcp.Desc{ID: miniDesc.ID, Type: pcp.Float, InDom: pcp.NullInDom, Sem: pcp.Instant}
	rec := &pcp.Result{Time: seconds(0), Sets: []pcp.Values{
		{ID: desc.ID, Type: pcp.Float, Insts: []int32{pcp.NullInst}, Words: []uint64{0x40200000}},
	}}
	for inSitu, size := range map[bool]int{true: 44, false: 52} {
		w, base := newWriter(t, &archive.WriterOptions{FloatInSitu: inSitu})
		must(t, w.AddMetric(desc, "f"), w.Put(rec), w.Close())
		if got := len(file(t, base+".0")); got != size {
			t.Errorf("in situ %v: record of %d bytes, want %d", inSitu, got, size)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	w, _ := newWriter(b, nil)
	var insts []pcp.Instance
	var ids []int32
	for i := range int32(100) {
		insts, ids = append(insts, pcp.Instance{ID: i, Name: "instance"}), append(ids, i)
	}
	must(b, w.SetInDom(seconds(0), testDom, insts))
	rec := &pcp.Result{}
	for i := range uint32(20) {
		d := setDesc
		d.ID = pcp.NewID(245, 1, i)
		must(b, w.AddMetric(d, "m"+string(rune('a'+i))))
		rec.Sets = append(rec.Sets, pcp.Values{ID: d.ID, Type: d.Type, Insts: ids, Words: make([]uint64, 100)})
	}
	n := int64(0)
	b.ReportAllocs()
	b.SetBytes(20 * (12 + 100*(8+12)))
	for b.Loop() {
		rec.Time = seconds(n)
		n++
		if err := w.Put(rec); err != nil {
			b.Fatal(err)
		}
	}
}
