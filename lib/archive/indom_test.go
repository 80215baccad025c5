package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// elevenDom is the domain of the example of archive.md A11.5.
const elevenDom = pcp.InDom(0x3d400001)

// sec returns the time so many seconds after 1700000000.
func sec(n int64) pcp.Timestamp { return pcp.Timestamp{Sec: 1700000000 + n} }

// eleven returns the Set of the example of archive.md A11.5, whose last changes are given.
func eleven(t testing.TB, more ...[]byte) *Set {
	t.Helper()
	in := func(id int32, name string) []pcp.Instance { return []pcp.Instance{{ID: id, Name: name}} }
	full := []pcp.Instance{{ID: 30, Name: "three three"}, {ID: 10, Name: "one"}, {ID: 20, Name: "two alpha"}}
	src := AppendInDom(nil, 3, sec(0), elevenDom, full)
	src = AppendInDomDelta(src, sec(10), elevenDom, in(25, "two beta"), []int32{20})
	src = AppendInDomDelta(src, sec(20), elevenDom, in(40, "four"), []int32{30})
	src = AppendInDom(src, 3, sec(30), elevenDom, in(50, "five"))
	src = AppendInDomDelta(src, sec(40), elevenDom, in(10, "one again"), []int32{50})
	for _, b := range more {
		src = append(src, b...)
	}
	m, off, err := decodeMeta(context.Background(), src, nil)
	if err != nil {
		t.Fatalf("offset %d: %v", off, err)
	}
	s := newSet(nil)
	if err := s.merge(m); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInstances(t *testing.T) {
	s := eleven(t)
	tests := []struct {
		at   int64
		want string
	}{
		{-10, "PM_ERR_INDOM_LOG"},
		{0, "[{10 one} {20 two alpha} {30 three three}]"},
		{9, "[{10 one} {20 two alpha} {30 three three}]"},
		{40, "[{10 one again}]"}, // asked for out of order: the changes must not pile up
		{10, "[{10 one} {25 two beta} {30 three three}]"},
		{20, "[{10 one} {25 two beta} {40 four}]"},
		{30, "[{50 five}]"},
		{1000, "[{10 one again}]"},
		{10, "[{10 one} {25 two beta} {30 three three}]"},
	}
	for _, tt := range tests {
		list, err := s.Instances(elevenDom, sec(tt.at))
		got := fmt.Sprint(list)
		if err != nil {
			got = pmerr.Of(err).Name()
		}
		if got != tt.want {
			t.Errorf("at %d: got %s, want %s", tt.at, got, tt.want)
		}
	}
	for d, want := range map[pcp.InDom]error{pcp.NullInDom: pmerr.InDom, 99: pmerr.InDomLog} {
		if _, err := s.Instances(d, sec(0)); !errors.Is(err, want) {
			t.Errorf("%v: got %v, want %v", d, err, want)
		}
		if _, err := s.AllInstances(d); !errors.Is(err, want) {
			t.Errorf("all of %v: got %v, want %v", d, err, want)
		}
		if _, err := s.LookupInstAll(d, "x"); !errors.Is(err, want) {
			t.Errorf("lookup in %v: got %v, want %v", d, err, want)
		}
	}
}

func TestAllInstances(t *testing.T) {
	s := eleven(t)
	list, err := s.AllInstances(elevenDom)
	want := "[{10 one again} {50 five} {25 two beta} {40 four} {30 three three} {20 two alpha}]"
	if got := fmt.Sprint(list); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestInstanceNames(t *testing.T) {
	s := eleven(t)
	none := pcp.NullInst
	tests := []struct {
		name    string
		at, all int32
	}{
		{"one", 10, 10},
		{"two alpha", 20, 25}, // the newest observation that has anything like it wins
		{"two", 20, 25},
		{"two ", 20, 25},
		{"two zzz", 20, 25},
		{"twox", 20, 25},
		{"tw", none, none},
		{"three thre", 30, 30},
		{"one ", none, 10},
		{"four", none, 40},
		{"", none, none},
	}
	for _, tt := range tests {
		id, err := s.LookupInst(elevenDom, tt.name, sec(0))
		if id != tt.at || (err != nil) != (id == none) || err != nil && !errors.Is(err, pmerr.InstLog) {
			t.Errorf("%q: got %d, %v", tt.name, id, err)
		}
		id, err = s.LookupInstAll(elevenDom, tt.name)
		if id != tt.all || (err != nil) != (id == none) || err != nil && !errors.Is(err, pmerr.InstLog) {
			t.Errorf("%q at any time: got %d, %v", tt.name, id, err)
		}
	}
	if name, err := s.InstName(elevenDom, 20, sec(5)); name != "two alpha" || err != nil {
		t.Errorf("20: got %q, %v", name, err)
	}
	if _, err := s.InstName(elevenDom, 25, sec(5)); !errors.Is(err, pmerr.InstLog) {
		t.Errorf("25 too early: got %v", err)
	}
	all, err := s.AllInstances(elevenDom)
	if err != nil || !slices.Contains(all, pcp.Instance{ID: 10, Name: "one again"}) {
		t.Errorf("at any time: got %v, %v", all, err)
	}
}

func TestOddDeltas(t *testing.T) {
	tests := []struct {
		name string
		rec  []byte
		want string
		warn []string
	}{
		{"all deleted", delta(50, []int32{10}), "[]", nil},
		{"absent deleted", delta(50, []int32{7}), "[{10 one again}]",
			[]string{"__pmLogUndeltaInDom: Botch: InDom 245.1: delta inst[0]=7 delete but inst not in full indom, skipped"}},
		{"present added", delta(50, nil, in(10, "one again")), "[{10 one again}]", nil},
		{"present added with other name", delta(50, []int32{7}, in(10, "other")), "[{10 one again}]", []string{
			"__pmLogUndeltaInDom: Botch: InDom 245.1: delta inst[0]=7 delete but inst not in full indom, skipped",
			`__pmLogUndeltaInDom: Botch: InDom 245.1: full inst[0]=10 "one again" and redefined in delta inst[1]=10 "other", second one skipped`}},
		{"present added after others", delta(50, nil, in(1, "a"), in(2, "b"), in(10, "other")), "[{1 a} {2 b} {10 one again}]", []string{
			`__pmLogUndeltaInDom: Botch: InDom 245.1: full inst[0]=10 "one again" and redefined in delta inst[2]=10 "other", second one skipped`}},
		{"present added after one that is deleted", append(full(50, in(1, "a"), in(3, "c")), delta(51, []int32{1}, in(2, "b"), in(3, "x"))...), "[{2 b} {3 c}]", []string{
			`__pmLogUndeltaInDom: Botch: InDom 245.1: full inst[1]=3 "c" and redefined in delta inst[2]=3 "x", second one skipped`}},
		{"empty full record", AppendInDom(nil, 3, sec(50), elevenDom, nil), "[{10 one again}]", nil},
		{"same time", append(delta(50, nil, in(1, "a")), AppendInDom(nil, 3, sec(50), elevenDom, []pcp.Instance{in(2, "b")})...), "[{2 b}]", nil},
		{"earlier than the others", AppendInDom(nil, 3, sec(35), elevenDom, []pcp.Instance{in(2, "b")}), "[{2 b} {10 one again}]",
			[]string{"__pmLogUndeltaInDom: Botch: InDom 245.1: delta inst[1]=50 delete but inst not in full indom, skipped"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := eleven(t, tt.rec)
			var warns []string
			s.indoms[elevenDom].warn = func(m string) { warns = append(warns, m) }
			list, err := s.Instances(elevenDom, sec(60))
			if got := fmt.Sprint(list); err != nil || got != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
			if !slices.Equal(warns, tt.warn) {
				t.Errorf("warnings: got %q, want %q", warns, tt.warn)
			}
		})
	}
	// Without anything to apply it to.
	m, _, err := decodeMeta(context.Background(), unhex(t, deltaRec), nil)
	s := newSet(nil)
	if err != nil || s.merge(m) != nil {
		t.Fatal(err)
	}
	if list, err := s.Instances(elevenDom, sec(60)); err != nil || fmt.Sprint(list) != "[{25 two beta}]" {
		t.Errorf("delta alone: got %v, %v", list, err)
	}
}

func TestManyDeltas(t *testing.T) {
	// More than is kept decoded: the answers are the same in any order.
	const size, steps = 5000, 400
	var full []pcp.Instance
	for i := range int32(size) {
		full = append(full, pcp.Instance{ID: i, Name: "x"})
	}
	d := &domain{id: elevenDom}
	add := func(rec []byte, delta bool, at int64) {
		d.obs = append(d.obs, observation{sec(at), rec[24 : len(rec)-4], delta})
	}
	add(AppendInDom(nil, 3, sec(0), elevenDom, full), false, 0)
	for i := range int32(steps) {
		add(AppendInDomDelta(nil, sec(int64(i+1)), elevenDom, nil, []int32{i}), true, int64(i+1))
	}
	for _, at := range []int64{steps, 1, steps / 2, steps, 0, steps - 1} {
		list, err := d.at(sec(at))
		if err != nil || len(list) != size-int(at) || list[0].ID != int32(at) {
			t.Fatalf("at %d: %d instances, %v", at, len(list), err)
		}
		if d.cached > maxCachedInstances+size {
			t.Fatalf("%d instances kept", d.cached)
		}
	}
	if n := len(d.union()); n != size {
		t.Errorf("%d instances in all", n)
	}
}
