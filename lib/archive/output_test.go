package archive_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// entries returns the temporal index of a version 3 archive as text: seconds after the examples'
// time, volume, offset in the metadata and in the data.
func entries(t *testing.T, base string) []string {
	t.Helper()
	var out []string
	be := binary.BigEndian
	for b := file(t, base+".index"); len(b) > 0; b = b[32:] {
		out = append(out, fmt.Sprint(int64(be.Uint32(b))-stampV3.Sec, be.Uint32(b[12:]), be.Uint64(b[16:]), be.Uint64(b[24:])))
	}
	return out
}

func TestIndex(t *testing.T) {
	bulk := pcp.Desc{ID: pcp.NewID(245, 0, 3), Type: pcp.Aggregate, InDom: pcp.NullInDom, Sem: pcp.Instant}
	big := func(n int64) *pcp.Result {
		return &pcp.Result{Time: seconds(n), Sets: []pcp.Values{
			{ID: bulk.ID, Type: bulk.Type, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{make([]byte, 60000)}},
		}}
	}
	const recSize, bigSize, descSize = 44, 60048, 46 // the size of a name makes no difference: all have 6 bytes
	tests := []struct {
		name string
		opt  archive.WriterOptions
		run  func(w *archive.Writer) error
		want []string
	}{
		{"one record", archive.WriterOptions{}, func(w *archive.Writer) error { return w.Put(mini(seconds(0), 1)) },
			[]string{"0 0 808 808"}},
		{"new metadata", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.Put(mini(seconds(0), 1)), w.Put(mini(seconds(1), 1)),
				w.AddMetric(setDesc, "mini.y"), w.Put(mini(seconds(2), 1)), w.Put(mini(seconds(3), 1)))
		}, []string{"0 0 808 808", fmt.Sprint("2 0 ", 808+descSize, " ", 808+2*recSize),
			fmt.Sprint("3 0 ", 808+2*descSize, " ", 808+3*recSize)}},
		{"much data", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.AddMetric(bulk, "mini.z"), w.Put(big(0)), w.Put(big(1)), w.Put(big(2)), w.Put(big(3)))
		}, []string{"0 0 808 808", fmt.Sprint("2 0 ", 808+2*descSize, " ", 808+2*bigSize), fmt.Sprint("3 0 ", 808+2*descSize, " ", 808+3*bigSize)}},
		{"volumes", archive.WriterOptions{VolumeBytes: 808 + 2*recSize}, func(w *archive.Writer) error {
			var err error
			for i := range int64(5) {
				err = errors.Join(err, w.Put(mini(seconds(i), 1)))
			}
			return err
		}, []string{"0 0 808 808", "2 1 854 808", "4 2 854 808"}},
		{"equal times", archive.WriterOptions{VolumeBytes: 1}, func(w *archive.Writer) error {
			return errors.Join(w.Put(mini(seconds(0), 1)), w.Put(mini(seconds(0), 1)), w.Put(mini(seconds(0), 1)))
		}, []string{"0 0 808 808"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, &tt.opt)
			must(t, w.AddMetric(miniDesc, "mini.x"), tt.run(w), w.Close())
			if got := entries(t, base); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestVolumes(t *testing.T) {
	w, base := newWriter(t, &archive.WriterOptions{VolumeBytes: 808 + 100, Host: "vol"})
	must(t, w.AddMetric(miniDesc, "mini.x"))
	for i := range int64(5) {
		must(t, w.Put(mini(seconds(i), 1)))
	}
	must(t, w.Close())
	for i, n := range []int{2, 2, 1} {
		name := fmt.Sprint(base, ".", i)
		if got := len(file(t, name)); got != 44*n {
			t.Errorf("volume %d has %d bytes of records, want %d", i, got, 44*n)
		}
		want := archive.AppendLabel(nil, &archive.Label{Version: 3, Start: seconds(0), Volume: int32(i), Host: "vol", Zone: "UTC"})
		if b, _ := os.ReadFile(name); string(b[:808]) != string(want) {
			t.Errorf("volume %d: label %x", i, b[:808])
		}
	}
	if _, err := os.Stat(base + ".3"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("volume 3: %v", err)
	}
}

// TestVolumeExists breaks the writer in the middle.
func TestVolumeExists(t *testing.T) {
	w, base := newWriter(t, &archive.WriterOptions{VolumeBytes: 1})
	must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(0), 1)), os.WriteFile(base+".1", nil, 0o600))
	first := w.Put(mini(seconds(1), 1))
	if !errors.Is(first, fs.ErrExist) {
		t.Errorf("error %v", first)
	}
	for i, err := range []error{w.Put(mini(seconds(2), 1)), w.AddMetric(miniDesc, "y"), w.Flush(), w.Close()} {
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("call %d: error %v", i, err)
		}
	}
}

func TestMetadataTime(t *testing.T) {
	insts := []pcp.Instance{{ID: 1, Name: "one"}}
	label := []pcp.LabelSet{{Labels: []pcp.Label{{Name: "a", Value: "1"}}}}
	tests := []struct {
		name string
		opt  archive.WriterOptions
		run  func(w *archive.Writer) error
		err  error
	}{
		{"before the first record", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.SetInDom(seconds(0), testDom, insts), w.Put(mini(seconds(1), 1)))
		}, pmerr.EINVAL},
		{"between start and first record", archive.WriterOptions{Start: seconds(0)}, func(w *archive.Writer) error {
			return errors.Join(w.SetInDom(seconds(0), testDom, insts), w.Put(mini(seconds(1), 1)))
		}, nil},
		{"before the start", archive.WriterOptions{Start: seconds(1)}, func(w *archive.Writer) error {
			return w.SetInDom(seconds(0), testDom, insts)
		}, pmerr.EINVAL},
		{"record before the start", archive.WriterOptions{Start: seconds(1)}, func(w *archive.Writer) error {
			return w.Put(mini(seconds(0), 1))
		}, pmerr.EINVAL},
		{"back", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.SetInDom(seconds(2), testDom, insts), w.SetLabels(seconds(1), pcp.ContextLabels, 0, label))
		}, pmerr.EINVAL},
		{"record before its metadata", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.Put(mini(seconds(0), 1)), w.SetInDom(seconds(2), testDom, insts), w.Put(mini(seconds(1), 1)))
		}, pmerr.EINVAL},
		{"after the last record", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.Put(mini(seconds(0), 1)), w.SetInDom(seconds(2), testDom, insts), w.Close())
		}, pmerr.EINVAL},
		{"made by the caller, back", archive.WriterOptions{}, func(w *archive.Writer) error {
			return errors.Join(w.PutMeta(seconds(1), nil), w.PutMeta(seconds(0), nil))
		}, pmerr.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := newWriter(t, &tt.opt)
			must(t, w.AddMetric(miniDesc, "mini.x"))
			if err := tt.run(w); !errors.Is(err, tt.err) || tt.err == nil && err != nil {
				t.Errorf("error %v, want %v", err, tt.err)
			}
		})
	}
}

func TestFlush(t *testing.T) {
	w, base := newWriter(t, nil)
	must(t, w.Flush(), w.AddMetric(miniDesc, "mini.x"), w.Flush())
	if info, err := os.Stat(base + ".meta"); err != nil || info.Size() != 0 {
		t.Fatalf("metadata before the first record: %v, %v", info, err)
	}
	for i := range int64(3) {
		must(t, w.Put(mini(seconds(i), 1)), w.Flush())
		if n := len(file(t, base+".0")); n != 44*int(i+1) {
			t.Errorf("%d bytes after %d records", n, i+1)
		}
	}
	if n := len(file(t, base+".index")); n != 32 {
		t.Errorf("%d bytes of index", n)
	}
}

func TestClose(t *testing.T) {
	dir := t.TempDir()
	w, err := archive.Create(filepath.Join(dir, "none"), nil)
	must(t, err, w.AddMetric(miniDesc, "mini.x"))
	if err := w.Close(); !errors.Is(err, pmerr.NoData) {
		t.Errorf("nothing written: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	w, _ = newWriter(t, nil)
	must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(0), 1)), w.Close(), w.Close())
	for i, err := range []error{
		w.Put(mini(seconds(1), 1)), w.Mark(seconds(1)), w.AddMetric(setDesc, "y"), w.SetInDom(seconds(1), testDom, nil),
		w.SetLabels(seconds(1), pcp.ContextLabels, 0, nil), w.SetText(1, false, pcp.OneLine, ""), w.PutMeta(seconds(1), nil), w.Flush(),
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("call %d after Close: %v", i, err)
		}
	}
}
