package archive_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// ask fetches metrics n times, and returns for each fetch the first value of each as text, - for
// none, divided by slashes, or the code of the error.
func ask(c *archive.Cursor, n int, ids ...pcp.ID) string {
	var parts []string
	var dst pcp.Result
	for range n {
		if err := c.Fetch(bg, ids, nil, &dst); err != nil {
			parts = append(parts, strings.TrimPrefix(pmerr.Of(err).Name(), "PM_ERR_"))
			continue
		}
		var values []string
		for i := range dst.Sets {
			values = append(values, first(&dst.Sets[i]))
		}
		parts = append(parts, strings.Join(values, "/"))
	}
	return strings.Join(parts, " ")
}

// first returns the first value of a column as text.
func first(v *pcp.Values) string {
	switch {
	case v.Err != nil:
		return strings.TrimPrefix(pmerr.Of(v.Err).Name(), "PM_ERR_")
	case v.Len() == 0:
		return "-"
	case !v.Type.Arithmetic():
		return string(v.Blobs[0])
	case v.Type == pcp.Float:
		return fmt.Sprint(math.Float32frombits(uint32(v.Words[0])))
	case v.Type == pcp.Double:
		return fmt.Sprint(math.Float64frombits(v.Words[0]))
	default:
		return fmt.Sprint(int64(v.Words[0]))
	}
}

// between returns a Cursor that interpolates from a time, both in seconds.
func between(t testing.TB, s *archive.Set, from, step float64) *archive.Cursor {
	t.Helper()
	c := s.Cursor()
	when := seconds(0).Add(time.Duration(from * 1e9))
	must(t, c.SetMode(pcp.Interp, &when, time.Duration(step*1e9)))
	return c
}

// lookup returns the metrics with such names.
func lookup(t testing.TB, s *archive.Set, names string) []pcp.ID {
	t.Helper()
	var ids []pcp.ID
	for _, name := range strings.Fields(names) {
		id, err := s.Lookup(name)
		must(t, err)
		ids = append(ids, id)
	}
	return ids
}

// TestInterp compares with the reference's answers (archive.md A13.10 to A13.13, and similar
// cases).
func TestInterp(t *testing.T) {
	tests := []struct {
		archive string
		from    float64
		step    float64
		metrics string
		want    string
	}{
		{"interp", 0, 2.5, "t.c.l", "10 11 13 14 15 21 28 34 40 31 23 14 5 EOL"},
		{"interp", 0, 2.5, "t.c.ul", "10 11 13 14 15 21 28 34 40 31 23 14 5 EOL"},
		{"interp", 0, 2.5, "t.c.ll", "10 11 13 14 15 21 28 34 40 31 23 14 5 EOL"},
		{"interp", 0, 2.5, "t.c.ull", "10 11 13 14 15 21 28 34 40 31 23 14 5 EOL"},
		{"interp", 0, 2.5, "t.c.f", "10 11.25 12.5 13.75 15 21.25 27.5 33.75 40 31.25 22.5 13.75 5 EOL"},
		{"interp", 0, 2.5, "t.c.d", "10 11.25 12.5 13.75 15 21.25 27.5 33.75 40 31.25 22.5 13.75 5 EOL"},
		{"interp", 0, 2.5, "t.c.neg", "-10 -10 -12 -13 -15 -20 -27 -33 -40 -30 -22 -13 -5 EOL"},
		{"interp", 0, 2.5, "t.i.l t.d.d", "10/10 10/10 10/10 15/15 15/15 15/15 15/15 40/40 40/40 40/40 40/40 5/5 5/5"},
		{"interp", 0, 2.5, "t.i.s", "v0 v0 v0 v0 v0 v1 v1 v1 v1 v2 v2 v2 v2 EOL"},
		{"interp", 0, 10, "t.i.s", "v0 v1 v2 v3 EOL"},
		{"interp", 0, 5, "t.d.s", "v0 v0 v0 v1 v1 v2 v2 EOL"},
		{"interp", 0, 2.5, "t.c.s", "TYPE TYPE TYPE"},
		{"interp", 30, -5, "t.c.l t.i.s", "5/v3 23/v2 40/v2 28/v1 15/v1 13/v0 10/v0 EOL EOL"},
		{"interp", 12, 0, "t.c.l", "20 20 20"},
		{"marks", 16, 4, "t.c", "116 120 - - 132 136 140"},
		{"marks", 16, 4, "t.i", "120 120 - - 130 140 140"},
		{"marks", 16, 4, "t.d", "120 120 120 - 130 140 140"},
		{"marks", 20, 12, "t.c t.i t.d", "120/120/120 -/130/130 144/140/140 156/160/160 EOL"},
		{"marks", 44, -12, "t.c t.i t.d", "144/140/140 132/130/130 -/120/120 108/110/110 EOL"},
		{"marks", 15, 10, "t.d t.i", "110/110 -/- 130/130"},
		{"marks", 35, -10, "t.d t.i", "130/130 -/- 110/110"},
		{"gaps", 0, 5, "t.c", "100 105 110 115 120 125 130 135 140 145 150 155 160 EOL"},
		{"gaps", 0, 5, "t.i t.d", "100/100 100/100 110/110 110/110 110/110 110/110 110/110 150/150 150/150 150/150 150/150 150/150 160/160"},
		{"gaps", -3, 1, "t.c", "EOL EOL EOL 100 101"},
		{"gaps", -0.001, 0.0005, "t.c", "- - 100"},
		{"gaps", 59.5, 0.5005, "t.d", "160 160 EOL EOL"},
		{"gaps", 60, 0.0005, "t.d", "160 160 160 EOL EOL"},
		{"mini", 0, 0.25, "mini.x", "7 7 7 9 9 EOL"},
	}
	for _, tt := range tests {
		for _, version := range []string{"", "_v2"} {
			t.Run(fmt.Sprintf("%s%s %v %s", tt.archive, version, tt.step, tt.metrics), func(t *testing.T) {
				s := open(t, archivetest.Path(t, tt.archive+version))
				got := ask(between(t, s, tt.from, tt.step), len(strings.Fields(tt.want)), lookup(t, s, tt.metrics)...)
				if got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}

// TestInterpInstances has instances that come and go in a small and in a large domain (archive.md
// A13.13).
func TestInterpInstances(t *testing.T) {
	s := open(t, archivetest.Path(t, "domains"))
	tests := []struct {
		metric string
		inst   int32
		want   string // at 10, 15, 20, 25, 35, 40
	}{
		{"small.d", 7, "710 710 710 710 710 710"},
		{"large.d", 7, "710 710 710 - - -"},
		{"small.i", 7, "710 - - - - -"},
		{"large.i", 7, "710 - - - - -"},
		{"small.i", 5, "510 510 510 510 540 540"},
		{"large.i", 5, "510 510 510 510 540 540"},
		{"small.c", 5, "510 515 520 525 535 540"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.metric, " ", tt.inst), func(t *testing.T) {
			ids := lookup(t, s, tt.metric)
			d, err := s.Desc(ids[0])
			must(t, err)
			var p pcp.Profile
			p.DelAll()
			p.Add(d.InDom, tt.inst)
			var forth, fresh []string
			var dst pcp.Result
			c := between(t, s, 10, 5)
			for i, at := range []float64{10, 15, 20, 25, 30, 35, 40} {
				must(t, c.Fetch(bg, ids, &p, &dst))
				if len(dst.Sets[0].Insts) > 1 {
					t.Errorf("instances %v", dst.Sets[0].Insts)
				}
				x := first(&dst.Sets[0])
				must(t, between(t, s, at, 1).Fetch(bg, ids, &p, &dst))
				if i != 4 {
					forth, fresh = append(forth, x), append(fresh, first(&dst.Sets[0]))
				}
			}
			if got := strings.Join(forth, " "); got != tt.want {
				t.Errorf("stepping: got %s, want %s", got, tt.want)
			}
			if got := strings.Join(fresh, " "); got != tt.want {
				t.Errorf("each by itself: got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestInterpOrder has the order of values that the reference gives: the order of a hash table
// (archive.md A13.8).
func TestInterpOrder(t *testing.T) {
	s := open(t, archivetest.Path(t, "domains"))
	ids := lookup(t, s, "small.c large.c")
	var dst pcp.Result
	must(t, between(t, s, 10, 1).Fetch(bg, ids, nil, &dst))
	if got, want := fmt.Sprint(dst.Sets[0].Insts), "[15 1 2 3 4 5 6 7 8 9 10 11 12 13 14]"; got != want {
		t.Errorf("small: got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(dst.Sets[1].Insts), "[16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]"; got != want {
		t.Errorf("large: got %s, want %s", got, want)
	}
}

// TestInterpTimes: the time of a result is the time asked for, with the full second of nanoseconds
// that the reference has; the origin is that of the next result.
func TestInterpTimes(t *testing.T) {
	s := open(t, archivetest.Path(t, "mini"))
	c := between(t, s, 0, 0.25)
	var dst pcp.Result
	for i := range 5 {
		must(t, c.Fetch(bg, nil, nil, &dst))
		if got, want := dst.Time.Sub(seconds(0)), 0.25*float64(i); got != want {
			t.Errorf("result %d: time %v, want %v", i, got, want)
		}
		if got, want := c.Origin(), seconds(0).Add(time.Duration(i+1)*250*time.Millisecond); got != want {
			t.Errorf("origin after result %d: %v, want %v", i, got, want)
		}
	}
	if want := (pcp.Timestamp{Sec: seconds(0).Sec, Nsec: 1e9}); dst.Time != want {
		t.Errorf("time of the last result: %v, want %v", dst.Time, want)
	}
	// The next fetch is an error, and moves the origin too.
	wantCode(t, c.Fetch(bg, nil, nil, &dst), pmerr.EOL)
	if got, want := c.Origin(), seconds(1).Add(500*time.Millisecond); got != want {
		t.Errorf("origin at the end: %v, want %v", got, want)
	}
	// A mode that reads records begins there.
	must(t, c.SetMode(pcp.Back, nil, 0))
	if got, want := follow(c, miniDesc.ID), "1=9 0=7 EOL EOL"; got != want {
		t.Errorf("back: got %s, want %s", got, want)
	}
	must(t, c.SetMode(pcp.Interp, nil, 0))
	wantCode(t, c.Next(bg, &dst), pmerr.Mode)
}

// TestInterpColumns: columns that have no values, and the same metric twice.
func TestInterpColumns(t *testing.T) {
	s := open(t, archivetest.Path(t, "interp"))
	ids := lookup(t, s, "t.i.l t.c.l t.i.l")
	got := ask(between(t, s, 5, 5), 3, append(ids, 99)...)
	if want := "10/13/10/PMID_LOG 15/15/15/PMID_LOG 15/28/15/PMID_LOG"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInterpSets(t *testing.T) {
	follows, overlaps := open(t, setPath(t, "setB", "setA")), open(t, setPath(t, "setA", "overlap"))
	tests := []struct {
		name       string
		set        *archive.Set
		from, step float64
		metrics    string
		want       string
	}{
		{"through the gap", follows, 0, 1, "t.n", "0 1 2 - - - - - - - 10 11 12 EOL"},
		{"over the gap", follows, 0, 5, "t.n", "0 - 10 EOL"},
		{"back", follows, 12, -1, "t.n", "12 11 10 - - - - - - - 2 1 0 EOL"},
		{"back over the gap", follows, 12, -4, "t.n", "12 - - 0 EOL"},
		{"into the gap", follows, 5, 1, "t.n", "- - - - - 10 11 12 EOL"},
		{"instances of each", follows, 0, 2, "t.i", "0 2 - - - 0 2 EOL"},
		{"that overlap", overlaps, 0, 1, "t.n", "0 1 2 3 EOL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(between(t, tt.set, tt.from, tt.step), len(strings.Fields(tt.want)), lookup(t, tt.set, tt.metrics)...)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// counter returns an archive of one counter that has such values ten seconds apart.
func counter(t *testing.T, typ pcp.Type, words ...uint64) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "counter")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "specbox", PID: 1})
	must(t, err)
	d := pcp.Desc{ID: miniDesc.ID, Type: typ, InDom: pcp.NullInDom, Sem: pcp.Counter}
	must(t, w.AddMetric(d, "x"))
	for i, word := range words {
		must(t, w.Put(&pcp.Result{Time: seconds(int64(10 * i)), Sets: []pcp.Values{
			{ID: d.ID, Type: typ, Insts: []int32{pcp.NullInst}, Words: []uint64{word}},
		}}))
	}
	must(t, w.Close())
	return base
}

// TestInterpWrap has counters that fall (archive.md A13.7).
func TestInterpWrap(t *testing.T) {
	negative := func(n int64) uint64 { return uint64(n) }
	tests := []struct {
		name    string
		typ     pcp.Type
		from    uint64
		to      uint64
		plain   []uint64 // at 2.5, 5 and 7.5 s
		wrapped []uint64
	}{
		{"32", pcp.Int32, 40, 5, []uint64{31, 23, 14}, []uint64{1073741855, negative(-2147483625), negative(-1073741810)}},
		{"U32", pcp.Uint32, 40, 5, []uint64{31, 23, 14}, []uint64{0x4000001f, 0x80000017, 0xc000000e}},
		{"64", pcp.Int64, 40, 5, []uint64{31, 23, 14}, []uint64{31, 23, 14}},
		{"U64", pcp.Uint64, 40, 5, []uint64{31, 23, 14}, []uint64{1 << 62, 1 << 63, 3 << 62}},
		{"U64 beyond 2^63", pcp.Uint64, 1 << 63, 3 << 62, []uint64{9 << 60, 10 << 60, 11 << 60}, []uint64{9 << 60, 10 << 60, 11 << 60}},
		{"beyond 32 bits", pcp.Int32, 0x7fffffff, negative(-0x80000000), []uint64{0x7fffffff, negative(-0x80000000), negative(-0x80000000)}, []uint64{0x7fffffff, negative(-0x80000000), negative(-0x80000000)}},
	}
	for _, tt := range tests {
		base := counter(t, tt.typ, tt.from, tt.to)
		for _, wrap := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " ", wrap), func(t *testing.T) {
				s, err := archive.Open(bg, base, &archive.Options{CounterWrap: wrap})
				must(t, err)
				defer s.Close()
				want := tt.plain
				if wrap {
					want = tt.wrapped
				}
				c := between(t, s, 2.5, 2.5)
				var dst pcp.Result
				for i := range want {
					must(t, c.Fetch(bg, []pcp.ID{miniDesc.ID}, nil, &dst))
					if got := dst.Sets[0].Words[0]; got != want[i] {
						t.Errorf("value %d: got %#x, want %#x", i, got, want[i])
					}
				}
			})
		}
	}
}

// TestInterpMarkGap passes over marks (archive.md A13.9).
func TestInterpMarkGap(t *testing.T) {
	base := archivetest.Path(t, "marks")
	for gap, want := range map[time.Duration]string{
		0:                "120 - 144 156",
		9 * time.Second:  "120 - 144 156",
		10 * time.Second: "120 132 144 156",
		-1:               "120 132 144 156",
	} {
		s, err := archive.Open(bg, base, &archive.Options{MarkGap: gap})
		must(t, err)
		if got := ask(between(t, s, 20, 12), 4, lookup(t, s, "t.c")...); got != want {
			t.Errorf("%v: got %s, want %s", gap, got, want)
		}
		must(t, s.Close())
	}
}

// TestInterpAnyOrder: remembered samples must not change the answers, in any order and direction of
// the requested times.
func TestInterpAnyOrder(t *testing.T) {
	for _, name := range []string{"interp", "gaps", "domains", "volumes", "volumes_v2", "alltypes", "noindex", "sample"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, archivetest.Path(t, name))
			end, err := s.End(bg)
			must(t, err)
			var ids []pcp.ID
			must(t, s.Walk("", func(_ string, id pcp.ID) bool {
				if d, _ := s.Desc(id); d.Type.Arithmetic() {
					ids = append(ids, id)
				}
				return true
			}))
			shared := s.Cursor()
			start := s.Label().Start
			span := end.Sub(start)
			for i := range 60 {
				at := span * float64(i*37%61) / 60.1
				delta := time.Second
				if i%7 > 3 {
					delta = -delta
				}
				some := ids[i%len(ids):]
				when := start.Add(time.Duration(at * 1e9))
				must(t, shared.SetMode(pcp.Interp, &when, delta))
				var want, got pcp.Result
				fresh := s.Cursor()
				must(t, fresh.SetMode(pcp.Interp, &when, delta), fresh.Fetch(bg, some, nil, &want))
				must(t, shared.Fetch(bg, some, nil, &got))
				if w, g := fmt.Sprint(want.Sets), fmt.Sprint(got.Sets); w != g {
					t.Fatalf("at %v: got %s\nwant %s", at, g, w)
				}
			}
		})
	}
}

// TestInterpSymmetric: backward the same values come as forward, except for strings, for which it
// matters where one comes from, and counters after a mark.
func TestInterpSymmetric(t *testing.T) {
	for _, name := range []string{"interp", "gaps", "domains", "volumes", "noindex"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, archivetest.Path(t, name))
			end, err := s.End(bg)
			must(t, err)
			var ids []pcp.ID
			must(t, s.Walk("", func(_ string, id pcp.ID) bool {
				if d, _ := s.Desc(id); d.Type.Arithmetic() {
					ids = append(ids, id)
				}
				return true
			}))
			n := 40
			step := math.Floor(end.Sub(seconds(0))*1e3/float64(n)) / 1e3
			forth := strings.Fields(ask(between(t, s, 0, step), n, ids...))
			back := strings.Fields(ask(between(t, s, step*float64(n-1), -step), n, ids...))
			slices.Reverse(back)
			if !slices.Equal(forth, back) {
				t.Errorf("forward  %v\nbackward %v", forth, back)
			}
		})
	}
}

// TestInterpGrowing follows an archive that grows.
func TestInterpGrowing(t *testing.T) {
	r := newRaw(3)
	base := r.write(t)
	s := open(t, base)
	c := between(t, s, 35, 5)
	if got, want := ask(c, 3, miniDesc.ID), "3 4 EOL"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	rec, err := archive.AppendRecord(nil, 3, mini(seconds(60), 6))
	must(t, err)
	f, err := os.OpenFile(base+".0", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	_, err = f.Write(rec)
	must(t, err)
	if got, want := ask(c, 4, miniDesc.ID), "4 6 6 EOL"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestInterpDamage has damage in records of newRaw, which are at 0, 10, ... 40.
func TestInterpDamage(t *testing.T) {
	const rec = 44 // bytes of a record
	tests := []struct {
		name   string
		change func(r *raw)
		want   string // from 0 in steps of 10, then from 40 back
	}{
		{"whole", func(*raw) {}, "0 1 2 3 4 EOL, 4 3 2 1 0 EOL"},
		{"no index", func(r *raw) { r.index = nil }, "0 1 2 3 4 EOL, 4 3 2 1 0 EOL"},
		{"last record cut", func(r *raw) { r.data = r.data[:len(r.data)-10] }, "0 1 2 3 EOL EOL, EOL 3 2 1 0 EOL"},
		{"format of the third", func(r *raw) { r.data[808+2*rec+31] = 1 }, "0 1 LOGREC 3 4 EOL, 4 3 LOGREC 1 0 EOL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			s := open(t, r.write(t))
			got := ask(between(t, s, 0, 10), 6, miniDesc.ID) + ", " + ask(between(t, s, 40, -10), 6, miniDesc.ID)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestInterpAllocs(t *testing.T) {
	s := open(t, archivetest.Path(t, "volumes"))
	ids := lookup(t, s, "t.c t.v2 t.v3 t.v5")
	var dst pcp.Result
	c := s.Cursor()
	run(t, c, ids, &dst, 100*time.Millisecond)
	start := seconds(0)
	must(t, c.SetMode(pcp.Interp, &start, 100*time.Millisecond))
	if allocs := testing.AllocsPerRun(100, func() { _ = c.Fetch(bg, ids, nil, &dst) }); allocs > 0 {
		t.Errorf("%v allocations a fetch", allocs)
	}
}

// FuzzInterp interpolates in damaged archives: it must end, without a panic.
func FuzzInterp(f *testing.F) {
	for _, version := range []int{2, 3} {
		r := newRaw(version)
		f.Add(r.meta, r.index, r.data, int64(7e9))
	}
	r := newRaw(3)
	f.Add(r.meta, r.index[:len(r.index)-1], r.data[:len(r.data)-9], int64(-3e9))
	f.Fuzz(func(t *testing.T, meta, index, data []byte, delta int64) {
		s, err := archive.Open(bg, "f", &archive.Options{FS: (&raw{meta, index, data}).memory(), CounterWrap: delta%2 == 0, MarkGap: time.Duration(delta % 3 * 5e9)})
		if err != nil {
			return
		}
		defer s.Close()
		c := s.Cursor()
		for _, d := range []int64{delta, -delta} {
			must(t, c.SetMode(pcp.Interp, nil, time.Duration(d)))
			ask(c, 20, miniDesc.ID, 99, miniDesc.ID+1)
		}
	})
}

// TestInterpNoInstances asks for metrics whose instances the metadata do not list, and for one that
// it does not describe: records hold values of them.
func TestInterpNoInstances(t *testing.T) {
	base := archivetest.Path(t, "sample")
	meta, err := os.ReadFile(base + ".meta")
	must(t, err)
	host := pcp.NewID(2, 3, 3)
	kept := meta[:808]
	for rest := meta[808:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		rec := rest[:n]
		rest = rest[n:]
		switch kind := binary.BigEndian.Uint32(rec[4:]); {
		case kind == 5 && binary.BigEndian.Uint32(rec[20:]) == uint32(pcp.NewInDom(2, 1)):
		case kind == 1 && pcp.ID(binary.BigEndian.Uint32(rec[8:])) == pcp.NewID(2, 3, 0):
		default:
			kept = append(kept, rec...)
		}
	}
	must(t, os.WriteFile(base+".meta", kept, 0o666))
	s := open(t, base)
	_, err = s.AllInstances(pcp.NewInDom(2, 1))
	wantCode(t, err, pmerr.InDomLog)
	start := s.Label().Start
	for _, delta := range []time.Duration{time.Second, -time.Second} {
		c := s.Cursor()
		must(t, c.SetMode(pcp.Interp, &start, delta))
		var dst pcp.Result
		// The search for the third metric finds a record of the other metrics at exactly that time.
		must(t, c.Fetch(bg, []pcp.ID{host, pcp.NewID(2, 3, 0), pcp.NewID(29, 0, 81)}, nil, &dst))
		if dst.Sets[0].Err != nil || dst.Sets[0].Len() != 0 || dst.Sets[1].Err != pmerr.PMIDLog {
			t.Errorf("delta %v: got %v", delta, dst.Sets)
		}
	}
}
