package fetchgroup

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// instances returns the values of an InDom as text.
func instances[T Type](d *InDom[T]) string {
	var b strings.Builder
	for x := range d.All() {
		fmt.Fprintf(&b, "%d %q %s; ", x.Inst, x.Name, show(x.Value, x.Err))
	}
	if err := d.Err(); err != nil {
		fmt.Fprintf(&b, "(%s)", pmerr.Of(err).Name())
	}
	return strings.TrimSuffix(b.String(), " ")
}

// TestInDoms has FG17.10.
func TestInDoms(t *testing.T) {
	g, _ := sampleGroup(t)
	for _, tt := range []struct{ metric, scale, want string }{
		{"sample.bogus_bin", "instant", `100 "bin-100" "100"; 250 "" "250"; 300 "bin-300" "300"; 450 "" "450"; 500 "bin-500" "500"; 650 "" "650"; 700 "bin-700" "700"; 850 "" "850"; 900 "bin-900" "900";`},
		{"sample.part_bin", "", `100 "bin-100" "100"; 300 "bin-300" "300"; 500 "bin-500" "500"; 700 "bin-700" "700"; 900 "bin-900" "900";`},
		{"sample.long.one", "", `-1 "" "1";`},
		{"sample.long.one", "rate", `-1 "" "" PM_ERR_AGAIN;`},
		{"sample.bad.novalues", "", ``},
	} {
		x, err := AddInDom[string](t.Context(), g, tt.metric, tt.scale)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := instances(x); got != tt.want {
			t.Errorf("%s: got %s", tt.metric, got)
		}
		g.Clear()
		if got := instances(x); got != "(PM_ERR_VALUE)" {
			t.Errorf("%s after Clear: got %s", tt.metric, got)
		}
	}
}

// column returns values by instance.
func column(pairs ...uint64) (v pcp.Values) {
	for i := 0; i < len(pairs); i += 2 {
		v.Insts, v.Words = append(v.Insts, int32(pairs[i])), append(v.Words, pairs[i+1])
	}
	return v
}

// TestNames follows instances that come, go, and are reused: names are asked for only when they are
// needed, and a counter of another instance makes no rate.
func TestNames(t *testing.T) {
	d := pcp.NewInDom(60, 1)
	insts := []pcp.Instance{{ID: 0, Name: "root"}, {ID: 1, Name: "home"}, {ID: 2, Name: "tmp"}}
	g, s := scripted(t, pcp.Desc{Type: pcp.Uint64, InDom: d, Sem: pcp.Counter}, insts, nil,
		column(1, 100, 0, 100), column(0, 110, 1, 110), // sorted; rates
		column(0, 120),                   // home is gone
		column(0, 130, 1, 900),           // and back: it may be another
		column(0, 140, 1, 910, 2, 5),     // one more
		column(0, 7, 1, 920, 2, 6),       // root is another one now, since its counter fell
		column(0, 8, 1, 930, 2, 7, 3, 1), // instance 3 has no name
		column(0, 9, 1, 940, 2, 8, 3, 2),
	)
	x, err := AddInDom[float64](t.Context(), g, "w.x", "")
	if err != nil {
		t.Fatal(err)
	}
	single, err := Add[float64](t.Context(), g, "w.x", "root", "")
	if err != nil {
		t.Fatal(err)
	}
	before := s.Count(pdu.TypeInstanceReq)
	for i, tt := range []struct {
		want  string
		asked int
	}{
		{`0 "root" NaN PM_ERR_AGAIN; 1 "home" NaN PM_ERR_AGAIN;`, 1},
		{`0 "root" 10; 1 "home" 10;`, 1},
		{`0 "root" 10;`, 1},
		{`0 "root" 10; 1 "home" NaN PM_ERR_VALUE;`, 2},
		{`0 "root" 10; 1 "home" 10; 2 "tmp" NaN PM_ERR_VALUE;`, 3},
		{`0 "boot" NaN PM_ERR_VALUE; 1 "home" 10; 2 "tmp" 1;`, 4},
		{`0 "boot" 1; 1 "home" 10; 2 "tmp" 1; 3 "" NaN PM_ERR_VALUE;`, 5},
		{`0 "boot" 1; 1 "home" 10; 2 "tmp" 1; 3 "" 1;`, 6},
	} {
		if i == 5 {
			insts[0].Name = "boot"
		}
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := instances(x); got != tt.want {
			t.Errorf("fetch %d: got %s", i, got)
		}
		if asked := s.Count(pdu.TypeInstanceReq) - before; asked != tt.asked {
			t.Errorf("fetch %d: asked for instances %d times, want %d", i, asked, tt.asked)
		}
		if _, err := single.Value(); (err != nil) != (i == 0 || i == 5) {
			t.Errorf("fetch %d: single value: %v", i, err)
		}
	}
	if n := s.Count(pdu.TypeHighResFetch); n != 8 {
		t.Errorf("%d fetches", n)
	}
}

// TestReused finds out that an instance is another one from a counter that fell; those that did not
// fall make no rate either.
func TestReused(t *testing.T) {
	d := pcp.NewInDom(60, 1)
	insts := []pcp.Instance{{ID: 0, Name: "root"}}
	g, _ := scripted(t, pcp.Desc{Type: pcp.Uint64, InDom: d, Sem: pcp.Counter}, insts, nil, column(0, 100), column(0, 90), column(0, 95))
	fell, err := AddInDom[float64](t.Context(), g, "w.x", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	insts[0].Name = "other"
	for _, want := range []string{`0 "other" NaN PM_ERR_VALUE;`, `0 "other" 5;`} {
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := instances(fell); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// dyninsts writes an archive like that of FG17.5: counters that equal their time, of instances that
// come and go, and a metric that is recorded from the second second on.
func dyninsts(t *testing.T) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "dyninsts")
	w, err := archive.Create(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := pcp.NewInDom(60, 1)
	read := pcp.Desc{ID: pcp.NewID(60, 0, 4), Type: pcp.Uint32, InDom: d, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
	used := pcp.Desc{ID: pcp.NewID(60, 1, 6), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.AddMetric(read, "disk.dev.read"))
	check(w.AddMetric(used, "mem.util.used"))
	names := []string{"sda", "sdb", "sdc", "sdd", "sde"}
	for sec := range int64(11) {
		at := pcp.Timestamp{Sec: sec}
		n := map[int64]int{0: 2, 2: 4, 6: 5}[sec]
		if n > 0 {
			var insts []pcp.Instance
			for i := range n {
				insts = append(insts, pcp.Instance{ID: int32(i), Name: names[i]})
			}
			check(w.SetInDom(at, d, insts))
		}
		have := 2
		if sec >= 2 {
			have = 4
		}
		if sec >= 6 {
			have = 5
		}
		v := pcp.Values{ID: read.ID, Type: read.Type}
		for i := range have {
			v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, uint64(sec))
		}
		r := &pcp.Result{Time: at, Sets: []pcp.Values{v}}
		if sec >= 2 {
			u := one(uint64(sec))
			u.ID, u.Type = used.ID, used.Type
			r.Sets = append(r.Sets, u)
		}
		check(w.Put(r))
	}
	check(w.Close())
	return base
}

// TestRecorded has FG17.5, FG17.6 and the search at the end of a recording, FG3.5.
func TestRecorded(t *testing.T) {
	src, err := pmapi.OpenArchive(t.Context(), dyninsts(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := New(src, nil)
	defer g.Close()
	var start pcp.Timestamp
	if err := g.Context().SetMode(pcp.Interp, &start, 1e9); err != nil {
		t.Fatal(err)
	}
	var shown []func() string
	for _, r := range [][]string{
		{"DOUBLE", "disk.dev.read", "sda", ""}, {"DOUBLE", "disk.dev.read", "sdc", ""}, {"U32", "disk.dev.read", "sde", "instant"},
		{"64", "mem.util.used", "", ""}, {"DOUBLE", "mem.util.used", "", "mbyte"}, {"DOUBLE", "mem.util.used", "", "rate"},
	} {
		x, err := register(g, r[0], r[1], r[2], r[3])
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		shown = append(shown, x)
	}
	all, err := AddInDom[uint32](t.Context(), g, "disk.dev.read", "instant")
	if err != nil {
		t.Fatal(err)
	}
	for sec := range 8 {
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, ok := map[int]string{
			0: `NaN PM_ERR_AGAIN|NaN PM_ERR_VALUE|4294967295 PM_ERR_VALUE|-1 PM_ERR_VALUE|NaN PM_ERR_VALUE|NaN PM_ERR_VALUE|0 "sda" 0; 1 "sdb" 0;`,
			1: `1|NaN PM_ERR_VALUE|4294967295 PM_ERR_VALUE|-1 PM_ERR_VALUE|NaN PM_ERR_VALUE|NaN PM_ERR_VALUE|0 "sda" 1; 1 "sdb" 1;`,
			2: `1|NaN PM_ERR_VALUE|4294967295 PM_ERR_VALUE|2|0.001953125|NaN PM_ERR_VALUE|0 "sda" 2; 1 "sdb" 2; 2 "sdc" 2; 3 "sdd" 2;`,
			3: `1|1|4294967295 PM_ERR_VALUE|3|0.0029296875|1|0 "sda" 3; 1 "sdb" 3; 2 "sdc" 3; 3 "sdd" 3;`,
			7: `1|1|7|7|0.0068359375|1|0 "sda" 7; 1 "sdb" 7; 2 "sdc" 7; 3 "sdd" 7; 4 "sde" 7;`,
		}[sec]
		var got []string
		for _, x := range shown {
			got = append(got, x())
		}
		got = append(got, instances(all))
		if text := strings.Join(got, "|"); ok && text != want {
			t.Errorf("second %d: got  %s\nwant %s", sec, text, want)
		}
		if g.Time().Unix() != int64(sec) {
			t.Errorf("second %d: time %v", sec, g.Time())
		}
	}
	g.Clear()
	if err := g.Context().SetMode(pcp.Forward, &start, 0); err != nil {
		t.Fatal(err)
	}
	sdb, err := register(g, "DOUBLE", "disk.dev.read", "sdb", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"NaN PM_ERR_AGAIN", "1", "1", "NaN PM_ERR_VALUE", "1", "NaN PM_ERR_VALUE", "NaN PM_ERR_VALUE"} {
		if i == 3 {
			if err := g.Context().SetMode(pcp.Interp, &start, 10e9); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := g.Fetch(t.Context()); (err != nil) != (i > 4) || err != nil && pmerr.Of(err) != pmerr.EOL {
			t.Errorf("fetch %d: %v", i, err)
		}
		if got := sdb(); got != want {
			t.Errorf("fetch %d: got %s, want %s", i, got, want)
		}
	}
	if _, err := register(g, "DOUBLE", "disk.dev.read", "sdz", ""); pmerr.Of(err) != pmerr.InstLog {
		t.Errorf("an instance that never was: %v", err)
	}
}
