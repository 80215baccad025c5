package archivetest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// content returns the files in dir by name.
func content(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = b
	}
	return files
}

// TestSame builds each archive twice: there must be no difference.
func TestSame(t *testing.T) {
	for _, name := range archivetest.Names() {
		t.Run(name, func(t *testing.T) {
			a := content(t, filepath.Dir(archivetest.Path(t, name)))
			b := content(t, filepath.Dir(archivetest.Path(t, name)))
			for file := range a {
				if !bytes.Equal(a[file], b[file]) || !strings.HasPrefix(file, name+".") {
					t.Errorf("%s: %d and %d bytes", file, len(a[file]), len(b[file]))
				}
			}
			if len(a) != len(b) || len(a) < 2 {
				t.Errorf("%d and %d files", len(a), len(b))
			}
		})
	}
}

// TestFrames checks that the files are chains of records: label, then lengths that agree at both
// ends.
func TestFrames(t *testing.T) {
	for _, name := range archivetest.Names() {
		for file, b := range content(t, filepath.Dir(archivetest.Path(t, name))) {
			if strings.HasSuffix(file, ".index") || strings.HasPrefix(name, "truncated") {
				continue
			}
			for off := 0; off < len(b); {
				n := 0
				if rest := b[off:]; len(rest) >= 8 {
					n = int(binary.BigEndian.Uint32(rest))
				}
				if n < 8 || off+n > len(b) || int(binary.BigEndian.Uint32(b[off+n-4:])) != n {
					t.Fatalf("%s: bad record at %d of %d", file, off, len(b))
				}
				off += n
			}
		}
	}
}

func TestNames(t *testing.T) {
	names := archivetest.Names()
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(names) {
		t.Errorf("names are not unique: %q", names)
	}
	for _, want := range []string{"ta", "ta_v2", "sample", "extra", "derived", "alltypes", "indoms", "labels", "marks",
		"volumes", "setA", "setB", "overlap", "otherhost", "units", "noindex", "demo"} {
		if !slices.Contains(names, want) {
			t.Errorf("no archive %s", want)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "nonesuch"); !errors.Is(err, pmerr.ENOENT) {
		t.Errorf("unknown name: %v", err)
	}
	if err := archivetest.Build(dir, "extra_v2"); !errors.Is(err, pmerr.ENOENT) {
		t.Errorf("no version 2 of extra: %v", err)
	}
	if err := archivetest.Build(filepath.Join(dir, "none"), "ta"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if err := archivetest.Build(dir, "ta"); err != nil {
		t.Fatal(err)
	}
	if err := archivetest.Build(dir, "ta"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("twice: %v", err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ta", "volumes"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, keep := range []string{"volumes.txt", "volumes", "volumes.1x"} {
		if err := os.WriteFile(filepath.Join(dir, keep), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := archivetest.Remove(dir, "volumes"); err != nil {
		t.Fatal(err)
	}
	var left []string
	for name := range content(t, dir) {
		left = append(left, name)
	}
	slices.Sort(left)
	if got := strings.Join(left, " "); got != "ta.0 ta.index ta.meta volumes volumes.1x volumes.txt" {
		t.Errorf("left: %s", got)
	}
	if err := archivetest.Remove(filepath.Join(dir, "none"), "ta"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// TestTA checks values of the archive TA against derived.md D13.
func TestTA(t *testing.T) {
	set := open(t, archivetest.Path(t, "ta"))
	ids := make([]pcp.ID, 5)
	for i, name := range []string{"t.a", "t.b", "t.c", "t.d", "t.s"} {
		id, err := set.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = id
	}
	insts, err := set.Instances(pcp.NewInDom(245, 1), pcp.Timestamp{Sec: 1000000003})
	want := []pcp.Instance{{ID: 1, Name: "one"}, {ID: 2, Name: "two blank"}, {ID: 3, Name: "three"}, {ID: 4, Name: "a]b"}, {ID: 5, Name: "a/b"}}
	if err != nil || !slices.Equal(insts, want) {
		t.Errorf("instances %v, %v", insts, err)
	}
	rows := []struct {
		a    []uint64
		aErr pmerr.Code
		b    []uint64
		d    uint64
		s    []uint64
		sErr pmerr.Code
	}{
		{a: []uint64{0}, b: []uint64{10, 20, 30, 40, 50}, d: 0, s: []uint64{0}},
		{a: []uint64{101}, b: []uint64{11, 21, 31, 41, 51}, d: 1, sErr: pmerr.Value},
		{aErr: pmerr.Again, b: []uint64{12, 22, 32, 42, 52}, d: 0, s: []uint64{2}},
		{a: []uint64{309}, b: []uint64{23, 13}, d: 1, s: []uint64{3}},
		{b: []uint64{14, 24, 34, 44, 54}, d: 0, s: []uint64{4}},
		{a: []uint64{525}, b: []uint64{15, 25, 35, 45, 55}, d: 1, s: []uint64{5}},
	}
	c := set.Cursor()
	var r pcp.Result
	for i, row := range rows {
		if err := c.Fetch(t.Context(), ids, nil, &r); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		a, b, tc, d, s := r.Sets[0], r.Sets[1], r.Sets[2], r.Sets[3], r.Sets[4]
		if r.Time != (pcp.Timestamp{Sec: 1000000000 + int64(i)}) || !slices.Equal(a.Words, row.a) {
			t.Errorf("record %d: %+v", i, r)
		} else if pmerr.Of(a.Err) != row.aErr || !slices.Equal(b.Words, row.b) || !slices.Equal(tc.Words, []uint64{1000, 2000, 3000, 4000}) {
			t.Errorf("record %d: %+v", i, r)
		} else if !slices.Equal(d.Words, []uint64{row.d}) || !slices.Equal(s.Words, row.s) || pmerr.Of(s.Err) != row.sErr {
			t.Errorf("record %d: %+v", i, r)
		}
	}
	if err := c.Fetch(t.Context(), ids, nil, &r); !errors.Is(err, pmerr.EOL) {
		t.Errorf("after the end: %v", err)
	}
}

// TestDemoSums makes sure that the sums in the demonstration are sums, and that its counters grow.
func TestDemoSums(t *testing.T) {
	set := open(t, archivetest.Path(t, "demo"))
	var ids []pcp.ID
	for _, name := range []string{"disk.dev.read", "disk.dev.write", "disk.dev.total",
		"disk.dev.read_bytes", "disk.dev.write_bytes", "disk.dev.total_bytes"} {
		id, err := set.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	c := set.Cursor()
	var before [2]uint64
	n := 0
	for ; ; n++ {
		var r pcp.Result
		err := c.Fetch(t.Context(), ids, nil, &r)
		if errors.Is(err, pmerr.EOL) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for disk := range 2 {
			for k := 0; k < 6; k += 3 {
				if r.Sets[k].Words[disk]+r.Sets[k+1].Words[disk] != r.Sets[k+2].Words[disk] {
					t.Errorf("record %d, disk %d: %+v", n, disk, r.Sets)
				}
			}
			if now := r.Sets[2].Words[disk]; now <= before[disk] {
				t.Errorf("record %d, disk %d: %d after %d", n, disk, now, before[disk])
			} else {
				before[disk] = now
			}
		}
	}
	if n != 60 {
		t.Errorf("%d records", n)
	}
	if text, err := set.Text(uint32(ids[0]), false, pcp.OneLine); err != nil || text == "" {
		t.Errorf("text %q, %v", text, err)
	}
}

func TestLoads(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", 3); err != nil {
		t.Fatal(err)
	}
	if err := archivetest.BuildWide(dir, "wide", 2500, 2); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]int{"big": {21, 100, 3}, "wide": {2501, 2, 2}} {
		c := open(t, filepath.Join(dir, name)).Cursor()
		var r pcp.Result
		n := 0
		for ; c.Next(t.Context(), &r) == nil; n++ {
			if len(r.Sets) != want[0] || r.Sets[1].Len() != want[1] || r.Sets[0].Words[0] != uint64(n) {
				t.Errorf("%s: record %d has %d metrics, %d values", name, n, len(r.Sets), r.Sets[1].Len())
			}
		}
		if n != want[2] {
			t.Errorf("%s: %d records", name, n)
		}
	}
}

func TestSparse(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildSparse(dir, "sparse", 60); err != nil {
		t.Fatal(err)
	}
	c := open(t, filepath.Join(dir, "sparse")).Cursor()
	var r pcp.Result
	records, marks, sets := 0, 0, 0
	for c.Next(t.Context(), &r) == nil {
		sets += len(r.Sets)
		if len(r.Sets) == 0 {
			marks++
		} else if records++; len(r.Sets) < 10 || len(r.Sets) > 100 {
			t.Errorf("a record of %d metrics", len(r.Sets))
		}
	}
	if records != 60 || marks != 2 || sets < 700 {
		t.Errorf("%d records with %d metrics, %d marks", records, sets, marks)
	}
}

// TestFleetHost: the archive of a host that is started again at noon.
func TestFleetHost(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildFleetHost(dir, 7); err != nil {
		t.Fatal(err)
	}
	set := open(t, filepath.Join(dir, "host0007"))
	c := set.Cursor()
	var r pcp.Result
	records, values := 0, 0
	for c.Next(t.Context(), &r) == nil {
		if len(r.Sets) == 0 {
			if at := r.Time.Time().UTC().Format("15:04:05"); at != "11:59:30" {
				t.Errorf("a mark at %s", at)
			}
			continue
		}
		records++
		for _, s := range r.Sets {
			values += s.Len()
		}
	}
	if host := set.Label().Host; host != "host0007" || records != 1440 || values != 1440*(8*20+12) {
		t.Errorf("%s: %d records, %d values", host, records, values)
	}
}

// open opens an archive for the length of a test.
func open(t *testing.T, base string) *archive.Set {
	t.Helper()
	set, err := archive.Open(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

func BenchmarkBuildBig(b *testing.B) {
	for b.Loop() {
		if err := archivetest.BuildBig(b.TempDir(), "big", 100); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSample checks the series on which the examples 19 to 28 of derived.md D13 rest.
func TestSample(t *testing.T) {
	set := open(t, archivetest.Path(t, "sample"))
	var ids []pcp.ID
	for _, name := range []string{"sample.byte_ctr", "sample.kbyte_ctr", "sample.mirage", "sample.mirage_longlong"} {
		id, err := set.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	rows := []struct {
		bytes, kbytes, first, last uint64
		long                       uint64
	}{
		{23833, 23132, 26, 1819, 34000000}, {24172, 23979, 10, 1803, 18000000},
		{25624, 24629, 94, 1887, 2000000}, {26730, 26082, 78, 1871, 86000000}, {26911, 26857, 62, 1855, 70000000},
	}
	c := set.Cursor()
	var r pcp.Result
	for i, row := range rows {
		if err := c.Fetch(t.Context(), ids, nil, &r); err != nil {
			t.Fatal(err)
		}
		mirage := r.Sets[2].Words
		if r.Sets[0].Words[0] != row.bytes || r.Sets[1].Words[0] != row.kbytes || len(mirage) != 8 {
			t.Errorf("record %d: %+v", i, r.Sets)
		} else if mirage[0] != row.first || mirage[7] != row.last || r.Sets[3].Words[0] != row.long {
			t.Errorf("record %d: %+v", i, r.Sets)
		}
	}
	if r.Time != (pcp.Timestamp{Sec: 1262170741, Nsec: 505136000}) {
		t.Errorf("last record at %v", r.Time)
	}
}
