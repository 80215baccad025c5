package archive_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func TestOpenDamage(t *testing.T) {
	put := func(off int, word uint32) func(b []byte) []byte {
		return func(b []byte) []byte {
			binary.BigEndian.PutUint32(b[off:], word)
			return b
		}
	}
	cut := func(n int) func(b []byte) []byte { return func(b []byte) []byte { return b[:n] } }
	none := func(b []byte) []byte { return nil }
	text := archive.AppendText(rawLabel(3, -1), 1, false, pcp.OneLine, "text")
	tests := []struct {
		name   string
		change func(r *raw)
		want   pmerr.Code
	}{
		{"nothing", func(r *raw) {}, 0},
		{"no meta", func(r *raw) { r.meta = none(nil) }, pmerr.LogFile},
		{"no volume", func(r *raw) { r.data = nil }, pmerr.LogFile},
		{"no index", func(r *raw) { r.index = nil }, 0},
		{"no file", func(r *raw) { *r = raw{} }, pmerr.ENOENT},
		{"bad magic of data", func(r *raw) { put(4, 0x50052703)(r.data) }, pmerr.Label},
		{"bad magic of meta", func(r *raw) { put(4, 0x50052703)(r.meta) }, pmerr.Label},
		{"bad magic of index", func(r *raw) { put(4, 0x50052703)(r.index) }, pmerr.Label},
		{"version 1", func(r *raw) { put(4, 0x50052601)(r.data) }, pmerr.Label},
		{"version 4", func(r *raw) { put(4, 0x50052604)(r.data) }, pmerr.Label},
		{"bad length", func(r *raw) { put(0, 804)(r.data) }, pmerr.Label},
		{"bad trailer", func(r *raw) { put(804, 804)(r.data) }, pmerr.Label},
		{"volume of data", func(r *raw) { put(24, 1)(r.data) }, pmerr.Label},
		{"volume of meta", func(r *raw) { put(24, 0)(r.meta) }, pmerr.Label},
		{"volume of index", func(r *raw) { put(24, 0xffffffff)(r.index) }, pmerr.Label},
		{"pid of index", func(r *raw) { put(8, 1)(r.index) }, pmerr.Label},
		{"pid of meta", func(r *raw) { put(8, 1)(r.meta) }, pmerr.Label},
		{"host of meta", func(r *raw) { r.meta[36] = 'S' }, pmerr.Label},
		{"host of index", func(r *raw) { r.index[36] = 'S' }, pmerr.Label},
		{"meta of version 2", func(r *raw) { r.meta = newRaw(2).meta }, pmerr.Label},
		{"index of version 2", func(r *raw) { r.index = newRaw(2).index }, pmerr.Label},
		{"start of meta", func(r *raw) { put(12, 5)(r.meta) }, 0},
		{"empty data", func(r *raw) { r.data = []byte{} }, pmerr.NoData},
		{"empty meta", func(r *raw) { r.meta = []byte{} }, pmerr.NoData},
		{"empty index", func(r *raw) { r.index = []byte{} }, pmerr.NoData},
		{"data of one byte", func(r *raw) { r.data = []byte{10} }, pmerr.NoData},
		{"only a label of data", func(r *raw) { r.data = cut(808)(r.data) }, pmerr.NoData},
		{"only a label of meta", func(r *raw) { r.meta = cut(808)(r.meta) }, pmerr.NoData},
		{"only a label of index", func(r *raw) { r.index = cut(808)(r.index) }, pmerr.NoData},
		{"only text", func(r *raw) { r.meta = text }, pmerr.NoData},
		{"bad trailer of meta record", func(r *raw) { put(len(r.meta)-4, 9)(r.meta) }, pmerr.LogRec},
		{"meta record cut", func(r *raw) { r.meta = r.meta[:len(r.meta)-1] }, pmerr.LogRec},
		{"meta record of type 9", func(r *raw) { put(812, 9)(r.meta) }, pmerr.RecType},
		{"partial index entry", func(r *raw) { r.index = r.index[:len(r.index)-1] }, 0},
		{"index entry after the data", func(r *raw) { put(len(r.index)-4, 1<<30)(r.index) }, 0},
		{"unknown feature", func(r *raw) { put(28, 4)(r.data) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			base := r.write(t)
			s, err := archive.Open(bg, base, nil)
			wantCode(t, err, tt.want)
			var e *archive.Error
			if err != nil && (!errors.As(err, &e) || !strings.HasPrefix(e.File, filepath.Dir(base)) || !strings.Contains(err.Error(), e.File)) {
				t.Errorf("got %v", err)
			}
			if err == nil {
				defer s.Close()
				if got, want := replay(s.Cursor()), "0 10 20 30 40 EOL EOL"; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

func TestOpenNames(t *testing.T) {
	dir := filepath.Dir(archivetest.Path(t, "mini"))
	must(t, archivetest.Build(dir, "setA"), archivetest.Build(dir, "setB"))
	for _, suffix := range []string{".0", ".meta", ".index"} {
		must(t, os.Rename(filepath.Join(dir, "setA"+suffix), filepath.Join(dir, "960624.08.17"+suffix)))
	}
	empty := t.TempDir()
	join := func(names ...string) string {
		for i := range names {
			if names[i] != "" {
				names[i] = filepath.Join(dir, names[i])
			}
		}
		return strings.Join(names, ",")
	}
	tests := []struct {
		name  string
		want  pmerr.Code
		start int64
		warns int
	}{
		{join("mini"), 0, 0, 0},
		{join("mini.0"), 0, 0, 0},
		{join("mini.meta"), 0, 0, 0},
		{join("mini.index"), 0, 0, 0},
		{join("mini.1"), pmerr.ENOENT, 0, 0},
		{join("min"), pmerr.ENOENT, 0, 0},
		{join("960624.08.17"), 0, 0, 0},
		{join("960624.08.17.0"), 0, 0, 0},
		{join("setB") + ",", 0, 10, 0},
		{join("setB", "setB"), 0, 10, 0},
		{join("setB", "960624.08.17"), 0, 0, 0},
		{join("", "setB"), 0, 10, 1},
		{join("nothing", "setB", "mini.7"), 0, 10, 2},
		{join("nothing", "mini.7"), pmerr.LogFile, 0, 3},
		{filepath.Join(dir, "none", "mini"), pmerr.ENOENT, 0, 0},
		{empty, pmerr.LogFile, 0, 0},
		{empty + "/", pmerr.LogFile, 0, 0},
		{"", pmerr.LogFile, 0, 0},
		{",", pmerr.LogFile, 0, 1},
		{",,", pmerr.LogFile, 0, 2},
		{join("nothing") + ",", pmerr.ENOENT, 0, 0},
		{join("nothing") + ",,", pmerr.LogFile, 0, 2},
		{join("nothing", "nothing"), pmerr.LogFile, 0, 3},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, dir+"/", ""), func(t *testing.T) {
			var warns []string
			s, err := archive.Open(bg, tt.name, &archive.Options{Warn: func(m string) { warns = append(warns, m) }})
			wantCode(t, err, tt.want)
			if len(warns) != tt.warns {
				t.Errorf("warnings: %q", warns)
			}
			if err == nil {
				if got := s.Label().Start; got != seconds(tt.start) {
					t.Errorf("start: got %v", got)
				}
				must(t, s.Close(), s.Close())
			}
		})
	}
}

func TestOpenWarnings(t *testing.T) {
	base := archivetest.Path(t, "mini")
	var warns []string
	opt := &archive.Options{Warn: func(m string) { warns = append(warns, m) }}
	_, err := archive.Open(bg, "nowhere/a,nowhere/b", opt)
	wantCode(t, err, pmerr.LogFile)
	s, err := archive.Open(bg, "nowhere/c,"+base, opt)
	must(t, err)
	s.Close()
	want := []string{
		`Warning: initarchive: skipping corrupt/unreadable archive "nowhere/a": No such file or directory`,
		`Warning: initarchive: skipping corrupt/unreadable archive "nowhere/b": No such file or directory`,
		`Error: initarchive: all archives are corrupt/unreadable`,
		`Warning: initarchive: skipping corrupt/unreadable archive "nowhere/c": No such file or directory`,
	}
	if !slices.Equal(warns, want) {
		t.Errorf("got %q", warns)
	}
}

func TestOpenDirectory(t *testing.T) {
	dir := filepath.Dir(archivetest.Path(t, "setA"))
	must(t, archivetest.Build(dir, "setB"), os.WriteFile(filepath.Join(dir, "README"), nil, 0o666))
	s := open(t, dir)
	if got, want := replay(s.Cursor()), "0 1 2 <2.001> 10 11 12 EOL EOL"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkOpen(b *testing.B) {
	base := archivetest.Path(b, "sample")
	b.ReportAllocs()
	for b.Loop() {
		s, err := archive.Open(bg, base, nil)
		must(b, err)
		s.Close()
	}
}
