package archive_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func TestForwardAndBack(t *testing.T) {
	s := open(t, newRaw(3).write(t))
	noIndex := newRaw(2)
	noIndex.index = nil
	plain := open(t, noIndex.write(t))
	tests := []struct {
		name string
		mode pcp.Mode
		when int64
		want string
	}{
		{"from the start", pcp.Forward, 0, "0=0 10=1 20=2 30=3 40=4 EOL EOL"},
		{"from before the start", pcp.Forward, -1e9, "0=0 10=1 20=2 30=3 40=4 EOL EOL"},
		{"on a record", pcp.Forward, 20, "20=2 30=3 40=4 EOL EOL"},
		{"between records", pcp.Forward, 11, "20=2 30=3 40=4 EOL EOL"},
		{"at the end", pcp.Forward, 40, "40=4 EOL EOL"},
		{"after the end", pcp.Forward, 41, "EOL EOL"},
		{"back from the end", pcp.Back, 40, "40=4 30=3 20=2 10=1 0=0 EOL EOL"},
		{"back from after the end", pcp.Back, 1e9, "40=4 30=3 20=2 10=1 0=0 EOL EOL"},
		{"back on a record", pcp.Back, 20, "20=2 10=1 0=0 EOL EOL"},
		{"back between records", pcp.Back, 19, "10=1 0=0 EOL EOL"},
		{"back from the start", pcp.Back, 0, "0=0 EOL EOL"},
		{"back from before the start", pcp.Back, -1, "EOL EOL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, set := range []*archive.Set{s, plain} {
				if got := follow(at(t, set, tt.mode, tt.when), miniDesc.ID); got != tt.want {
					t.Errorf("version %d: got %s, want %s", set.Label().Version, got, tt.want)
				}
			}
		})
	}
}

func TestModes(t *testing.T) {
	s := open(t, newRaw(3).write(t))
	c := s.Cursor()
	if c.Origin() != seconds(0) {
		t.Errorf("origin: got %v", c.Origin())
	}
	for _, m := range []pcp.Mode{0, 4, -1, 2 | 1<<16} {
		wantCode(t, c.SetMode(m, nil, 0), pmerr.Mode)
	}
	var dst pcp.Result
	ids := []pcp.ID{miniDesc.ID}
	wantCode(t, c.Fetch(bg, nil, nil, &dst), pmerr.TooSmall)
	must(t, c.Fetch(bg, ids, nil, &dst), c.Fetch(bg, ids, nil, &dst))
	if c.Origin() != seconds(10) {
		t.Errorf("origin after two fetches: got %v", c.Origin())
	}
	// The other way the same record comes first again (archive.md A12.5).
	must(t, c.SetMode(pcp.Back, nil, 0))
	if got, want := follow(c, miniDesc.ID), "10=1 0=0 EOL EOL"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFetchColumns(t *testing.T) {
	s := open(t, setPath(t, "setA"))
	one, err := s.Lookup("t.n")
	must(t, err)
	two, err := s.Lookup("t.i")
	must(t, err)
	d, _ := s.Desc(two)
	var none pcp.Profile
	none.Add(d.InDom, 77)
	c := s.Cursor()
	var dst pcp.Result
	must(t, c.Fetch(bg, []pcp.ID{99, two, one, two}, nil, &dst))
	if v := &dst.Sets[0]; v.ID != 99 || v.Len() != 0 || v.Err != nil {
		t.Errorf("unknown metric: got %v", v)
	}
	for _, i := range []int{1, 3} {
		if v := &dst.Sets[i]; v.ID != two || v.Len() != 1 || v.Insts[0] != 0 {
			t.Errorf("column %d: got %v", i, v)
		}
	}
	must(t, c.Fetch(bg, []pcp.ID{two, one}, &none, &dst))
	if dst.Sets[0].Len() != 0 || dst.Sets[1].Len() != 1 {
		t.Errorf("with a profile: got %v", dst)
	} else if dst.Sets[1].Words[0] != 1 || dst.Time != seconds(1) {
		t.Errorf("with a profile: got %v", dst)
	}
	wantCode(t, c.Fetch(bg, []pcp.ID{98, 99}, nil, &dst), pmerr.EOL)
}

func TestMarks(t *testing.T) {
	s := open(t, archivetest.Path(t, "marks"))
	all := replay(s.Cursor())
	if !strings.Contains(all, "<25>") {
		t.Errorf("no mark in %s", all)
	}
	id, err := s.Lookup("t.c")
	must(t, err)
	if got := follow(s.Cursor(), id); strings.Contains(got, "25") {
		t.Errorf("a fetch saw the mark: %s", got)
	}
	back := strings.Fields(replay(at(t, s, pcp.Back, 1e9)))
	forth := strings.Fields(all)
	for i := range len(forth) - 2 {
		if back[len(back)-3-i] != forth[i] {
			t.Errorf("backwards %v, forwards %v", back, forth)
			break
		}
	}
}

func TestSets(t *testing.T) {
	follows, overlaps := open(t, setPath(t, "setB", "setA")), open(t, setPath(t, "setA", "overlap"))
	mixed := open(t, setPath(t, "setA", "setB_v2"))
	tests := []struct {
		name string
		c    *archive.Cursor
		want string
	}{
		{"forward", follows.Cursor(), "0 1 2 <2.001> 10 11 12 EOL EOL"},
		{"forward, mixed versions", mixed.Cursor(), "0 1 2 <2.001> 10 11 12 EOL EOL"},
		{"forward from the second", at(t, follows, pcp.Forward, 10), "10 11 12 EOL EOL"},
		{"forward from the gap", at(t, follows, pcp.Forward, 5), "10 11 12 EOL EOL"},
		{"back", at(t, follows, pcp.Back, 99), "12 11 10 <9.999> 2 1 0 EOL EOL"},
		{"back from the gap", at(t, follows, pcp.Back, 5), "2 1 0 EOL EOL"},
		{"overlap", overlaps.Cursor(), "0 1 2 <2.001> LOGOVERLAP 3 EOL"},
		{"overlap back", at(t, overlaps, pcp.Back, 3), "3 2 1 <0.999> LOGOVERLAP 0 EOL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := replay(tt.c); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestReadDamage(t *testing.T) {
	const rec = 44 // bytes of a record
	tests := []struct {
		name          string
		change        func(r *raw)
		forward, back string
	}{
		{"last record cut", func(r *raw) { r.data = r.data[:len(r.data)-10] }, "0 10 20 30 LOGREC LOGREC", "LOGREC LOGREC"},
		{"less than a length left", func(r *raw) { r.data = append(r.data[:len(r.data)-rec], 0, 0, 0) }, "0 10 20 30 EOL EOL", "LOGREC LOGREC"},
		{"trailer of the second", func(r *raw) { r.data[808+2*rec-1]++ }, "0 LOGREC LOGREC", "40 30 20 LOGREC LOGREC"},
		{"number of sets of the second", func(r *raw) { r.data[808+rec+19]++ }, "0 LOGREC LOGREC", "40 30 20 LOGREC LOGREC"},
		{"format of the second", func(r *raw) { r.data[808+rec+31] = 3 }, "0 LOGREC LOGREC", "40 30 20 LOGREC LOGREC"},
		{"out of order", func(r *raw) { binary.BigEndian.PutUint32(r.data[808+2*rec+4:], uint32(seconds(5).Sec)) },
			"0 10 30 40 EOL EOL", "40 30 5 0 EOL EOL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			s := open(t, r.write(t))
			if got := replay(s.Cursor()); got != tt.forward {
				t.Errorf("forward: got %s, want %s", got, tt.forward)
			}
			if got := replay(at(t, s, pcp.Back, 1e9)); got != tt.back {
				t.Errorf("back: got %s, want %s", got, tt.back)
			}
		})
	}
}

func TestDamagedMember(t *testing.T) {
	list := setPath(t, "setA", "setB")
	file := strings.Split(list, ",")[0] + ".0"
	b, err := os.ReadFile(file)
	must(t, err)
	first := int(binary.BigEndian.Uint32(b[808:]))
	b[808+first+3]++ // the length of the second record
	must(t, os.WriteFile(file, b, 0o666))
	var warns []string
	s, err := archive.Open(bg, list, &archive.Options{Warn: func(m string) { warns = append(warns, m) }})
	must(t, err)
	defer s.Close()
	if got, want := replay(s.Cursor()), "0 10 11 12 EOL EOL"; got != want {
		t.Errorf("forward: got %s, want %s", got, want)
	}
	want := `Warning: __pmLogRead: removing corrupted archive "` + strings.Split(list, ",")[0] + `" vol 0`
	if len(warns) != 1 || warns[0] != want {
		t.Errorf("warnings: got %q, want %q", warns, want)
	}
	if got, want := replay(at(t, s, pcp.Back, 99)), "12 11 10 <9.999> 2 EOL EOL"; got != want {
		t.Errorf("back: got %s, want %s", got, want)
	}
	again, err := archive.Open(bg, list, nil)
	must(t, err)
	defer again.Close()
	if got, want := ask(between(t, again, 0, 1), 14, lookup(t, again, "t.n")...), "0 - - - - - - - - - 10 11 12 EOL"; got != want {
		t.Errorf("interpolated: got %s, want %s", got, want)
	}
}

func TestVolumesInOrder(t *testing.T) {
	for _, name := range []string{"volumes", "volumes_v2"} {
		t.Run(name, func(t *testing.T) {
			base := archivetest.Path(t, name)
			files, _ := filepath.Glob(base + ".[0-9]*")
			if len(files) < 3 {
				t.Fatalf("only %d volumes", len(files))
			}
			s := open(t, base)
			forth, back := strings.Fields(replay(s.Cursor())), strings.Fields(replay(at(t, s, pcp.Back, 1e9)))
			if len(forth) != len(back) || len(forth) < 10 {
				t.Fatalf("%d records forwards, %d backwards", len(forth), len(back))
			}
			c := s.Cursor()
			var dst pcp.Result
			for c.Next(bg, &dst) == nil {
			}
			if got := int(c.Label().Volume); got != len(files)-1 {
				t.Errorf("label of volume %d", got)
			}
			// A hole in the middle is passed over (archive.md A15.1).
			must(t, os.Remove(base+".1"))
			holed := strings.Fields(replay(open(t, base).Cursor()))
			if len(holed) >= len(forth) || holed[len(holed)-3] != forth[len(forth)-3] {
				t.Errorf("with a hole: %v", holed)
			}
		})
	}
}

func TestGrowing(t *testing.T) {
	r := newRaw(3)
	base := r.write(t)
	s := open(t, base)
	c := s.Cursor()
	if got, want := follow(c, miniDesc.ID), "0=0 10=1 20=2 30=3 40=4 EOL EOL"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	rec, err := archive.AppendRecord(nil, 3, mini(seconds(50), 5))
	must(t, err)
	f, err := os.OpenFile(base+".0", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	steps := []struct{ from, to int }{{0, 3}, {3, 20}, {20, len(rec)}}
	wants := []string{"EOL EOL", "LOGREC LOGREC", "50=5 EOL EOL"}
	for i, step := range steps {
		_, err := f.Write(rec[step.from:step.to])
		must(t, err)
		if got := follow(c, miniDesc.ID); got != wants[i] {
			t.Errorf("with %d bytes of the record: got %s, want %s", step.to, got, wants[i])
		}
	}
	if end, err := s.End(bg); err != nil || end != seconds(50) {
		t.Errorf("end: got %v, %v", end, err)
	}
	// Far more than there was room for after the file.
	big := make([]byte, 0, 1<<20)
	for i := range 10000 {
		big, err = archive.AppendRecord(big, 3, mini(seconds(int64(60+i)), int32(i)))
		must(t, err)
	}
	_, err = f.Write(big)
	must(t, err)
	var dst pcp.Result
	n := 0
	for ; c.Next(bg, &dst) == nil; n++ {
	}
	if n != 10000 || dst.Sets[0].Words[0] != 9999 {
		t.Errorf("%d records were added, the last is %v", n, dst)
	}
}

func TestShrunk(t *testing.T) {
	r := newRaw(3)
	for i := range 20000 {
		rec, err := archive.AppendRecord(nil, 3, mini(seconds(int64(50+i)), 7))
		must(t, err)
		r.data = append(r.data, rec...)
	}
	base := r.write(t)
	s := open(t, base)
	c := s.Cursor()
	var dst pcp.Result
	must(t, c.Next(bg, &dst), os.Truncate(base+".0", 900))
	var err error
	for err == nil {
		err = c.Next(bg, &dst)
	}
	if code := pmerr.Of(err); code != pmerr.LogRec && code != pmerr.EOL {
		t.Errorf("got %v", err)
	}
}

// TestEntryBehindRecord has a last index entry that points after the record whose time it has
// (archive.md A6.1); the reference then misses that record.
func TestEntryBehindRecord(t *testing.T) {
	r := newRaw(3)
	r.index = archive.AppendIndexEntry(r.index[:len(r.index)-32], 3, seconds(40), 0, int64(len(r.meta)), int64(len(r.data)))
	s := open(t, r.write(t))
	for when, want := range map[int64]string{39: "40=4 EOL EOL", 40: "EOL EOL", 20: "20=2 30=3 40=4 EOL EOL", 0: "0=0 10=1 20=2 30=3 40=4 EOL EOL"} {
		if got := follow(at(t, s, pcp.Forward, when), miniDesc.ID); got != want {
			t.Errorf("from %d: got %s, want %s", when, got, want)
		}
	}
	if got, want := follow(at(t, s, pcp.Back, 40), miniDesc.ID), "40=4 30=3 20=2 10=1 0=0 EOL EOL"; got != want {
		t.Errorf("back: got %s, want %s", got, want)
	}
}

// TestOutOfOrder has the records of two metrics one after the other instead of in the order of
// time, as the archive gfs of the reference's tests: records of the second metric are read only if
// they are not earlier than the last record of the first.
func TestOutOfOrder(t *testing.T) {
	r := newRaw(3)
	other := miniDesc
	other.ID++
	r.meta = archive.AppendDesc(r.meta, other, "mini.y")
	for i := range 6 {
		res := mini(seconds(int64(10*i)), int32(100+i))
		res.Sets[0].ID = other.ID
		rec, err := archive.AppendRecord(nil, 3, res)
		must(t, err)
		r.data = append(r.data, rec...)
	}
	s := open(t, r.write(t))
	shared := s.Cursor()
	when := pcp.Timestamp{}
	for range 2 {
		must(t, shared.SetMode(pcp.Forward, &when, 0))
		if got, want := follow(shared, other.ID), "40=104 50=105 EOL EOL"; got != want {
			t.Errorf("second metric: got %s, want %s", got, want)
		}
		must(t, shared.SetMode(pcp.Forward, &when, 0))
		if got, want := follow(shared, miniDesc.ID), "0=0 10=1 20=2 30=3 40=4 EOL EOL"; got != want {
			t.Errorf("first metric: got %s, want %s", got, want)
		}
	}
}

// TestFirstFetch asks for each metric from the start, as a tool does that shows metrics one by one,
// in several orders: the memo must not change the answers.
func TestFirstFetch(t *testing.T) {
	for _, name := range []string{"sample", "alltypes", "gaps", "domains", "volumes", "extra"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, archivetest.Path(t, name))
			var ids []pcp.ID
			must(t, s.Walk("", func(_ string, id pcp.ID) bool { ids = append(ids, id); return true }))
			ids = append(ids, 99)
			shared := s.Cursor()
			for round := range 3 {
				for i := range ids {
					id := ids[i]
					if round == 1 {
						id = ids[len(ids)-1-i]
					}
					when := pcp.Timestamp{}
					must(t, shared.SetMode(pcp.Forward, &when, 0))
					if want, got := follow(s.Cursor(), id), follow(shared, id); got != want {
						t.Errorf("%v: got %s, want %s", id, got, want)
					}
				}
			}
		})
	}
}

// TestFirstOnly asks for the first record of each metric in turn, as pminfo does: the record at
// hand serves again, also after another was read in between.
func TestFirstOnly(t *testing.T) {
	for _, name := range []string{"sample", "alltypes", "gaps", "volumes_v2"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, archivetest.Path(t, name))
			var ids []pcp.ID
			must(t, s.Walk("", func(_ string, id pcp.ID) bool { ids = append(ids, id); return true }))
			shared := s.Cursor()
			for round := range 3 {
				for i, id := range ids {
					when := pcp.Timestamp{}
					var want, got pcp.Result
					wantErr := s.Cursor().Fetch(bg, []pcp.ID{id}, nil, &want)
					must(t, shared.SetMode(pcp.Forward, &when, 0))
					gotErr := shared.Fetch(bg, []pcp.ID{id}, nil, &got)
					if (wantErr == nil) != (gotErr == nil) || wantErr == nil && !reflect.DeepEqual(want, got) {
						t.Errorf("round %d: %v: got %v, %v, want %v, %v", round, id, got, gotErr, want, wantErr)
					}
					if i%3 == round { // leave the record
						_ = shared.Next(bg, &got) // at the end there is none
					}
				}
			}
		})
	}
}

// TestOriginAtEnd: a search without success ends at the last record.
func TestOriginAtEnd(t *testing.T) {
	c := open(t, newRaw(3).write(t)).Cursor()
	var dst pcp.Result
	for _, when := range []pcp.Timestamp{{}, seconds(15)} {
		must(t, c.SetMode(pcp.Forward, &when, 0))
		wantCode(t, c.Fetch(bg, []pcp.ID{99}, nil, &dst), pmerr.EOL)
		if c.Origin() != seconds(40) {
			t.Errorf("from %v: origin %v", when, c.Origin())
		}
	}
}

func TestFirstFetchOverlap(t *testing.T) {
	s := open(t, setPath(t, "setA", "overlap"))
	c := s.Cursor()
	var dst pcp.Result
	for range 2 { // each time anew, as the position is given anew
		when := seconds(0)
		must(t, c.SetMode(pcp.Forward, &when, 0))
		wantCode(t, c.Fetch(bg, []pcp.ID{99}, nil, &dst), pmerr.LogOverlap)
		wantCode(t, c.Fetch(bg, []pcp.ID{99}, nil, &dst), pmerr.EOL)
	}
}

func TestFetchAllocs(t *testing.T) {
	s := open(t, archivetest.Path(t, "sample"))
	var ids []pcp.ID
	must(t, s.Walk("", func(_ string, id pcp.ID) bool { ids = append(ids, id); return len(ids) < 20 }))
	c := s.Cursor()
	var dst pcp.Result
	when := c.Origin()
	allocs := testing.AllocsPerRun(50, func() {
		must(t, c.SetMode(pcp.Forward, &when, 0), c.Fetch(bg, ids, nil, &dst))
	})
	if allocs > 0 {
		t.Errorf("%v allocations a fetch", allocs)
	}
}

func TestAfterClose(t *testing.T) {
	s := open(t, newRaw(3).write(t))
	c := s.Cursor()
	var dst pcp.Result
	must(t, c.Next(bg, &dst), s.Close())
	if err := c.Next(bg, &dst); err == nil {
		t.Error("read from a closed archive")
	}
	if err := s.Cursor().Next(bg, &dst); err == nil {
		t.Error("opened a volume of a closed archive")
	}
}

// FuzzVolume: metadata, index and volume of any bytes are read in both directions, to an end.
func FuzzVolume(f *testing.F) {
	for _, version := range []int{2, 3} {
		r := newRaw(version)
		f.Add(r.meta, r.index, r.data)
	}
	r := newRaw(3)
	f.Add(r.meta, r.index[:len(r.index)-1], r.data[:len(r.data)-9])
	f.Fuzz(func(t *testing.T, meta, index, data []byte) {
		s, err := archive.Open(bg, "f", &archive.Options{FS: (&raw{meta, index, data}).memory()})
		if err != nil {
			return
		}
		defer s.Close()
		s.End(bg)
		for _, m := range []pcp.Mode{pcp.Forward, pcp.Back} {
			replay(at(t, s, m, 20))
			follow(at(t, s, m, 20), miniDesc.ID, 99)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	base := archivetest.Path(b, "sample")
	info, err := os.Stat(base + ".0")
	must(b, err)
	s := open(b, base)
	c := s.Cursor()
	var dst pcp.Result
	when := seconds(-1e6)
	var id pcp.ID
	must(b, s.Walk("", func(_ string, first pcp.ID) bool { id = first; return false }))
	bench := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				must(b, c.SetMode(pcp.Forward, &when, 0))
				for read() == nil {
				}
			}
		})
	}
	bench("all", func() error { return c.Next(bg, &dst) })
	bench("one", func() error { return c.Fetch(bg, []pcp.ID{id}, nil, &dst) })
}
