package archive

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
)

// in returns an instance.
func in(id int32, name string) pcp.Instance { return pcp.Instance{ID: id, Name: name} }

// loaded returns the Set of some metadata records.
func loaded(t testing.TB, records ...[]byte) *Set {
	t.Helper()
	m, off, err := decodeMeta(context.Background(), slices.Concat(records...), nil)
	if err != nil {
		t.Fatalf("offset %d: %v", off, err)
	}
	s := newSet(nil)
	if err := s.merge(m); err != nil {
		t.Fatal(err)
	}
	return s
}

// full and delta return records of elevenDom.
func full(at int64, insts ...pcp.Instance) []byte {
	return AppendInDom(nil, 3, sec(at), elevenDom, insts)
}

func delta(at int64, gone []int32, added ...pcp.Instance) []byte {
	return AppendInDomDelta(nil, sec(at), elevenDom, added, gone)
}

// TestRepeated has observations that are there twice, and others of the same time.
func TestRepeated(t *testing.T) {
	ab, d := full(0, in(1, "a"), in(2, "b")), delta(10, []int32{1}, in(3, "c"))
	tests := []struct {
		name    string
		records [][]byte
		obs     int
		want    string // at 10
		warned  bool
	}{
		{"full twice", [][]byte{ab, ab, d}, 2, "[{2 b} {3 c}]", false},
		{"delta twice", [][]byte{ab, d, d}, 2, "[{2 b} {3 c}]", false},
		{"delta twice, out of order", [][]byte{d, ab, d}, 2, "[{2 b} {3 c}]", false},
		{"another full of the same time", [][]byte{ab, full(0, in(1, "x")), d}, 3, "[{3 c}]", false},
		{"another delta of the same time", [][]byte{ab, d, delta(10, []int32{2})}, 3, "[{3 c}]", false},
		{"the same later", [][]byte{ab, d, delta(20, []int32{1}, in(3, "c"))}, 3, "[{2 b} {3 c}]", false},
		{"full like the delta", [][]byte{ab, delta(10, nil, in(3, "c")), full(10, in(3, "c"))}, 3, "[{3 c}]", false},
		{"delta first", [][]byte{d, full(20, in(1, "a"))}, 2, "[{3 c}]", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dom := loaded(t, tt.records...).indoms[elevenDom]
			warned := 0
			dom.warn = func(string) { warned++ }
			list, err := dom.at(sec(10))
			if got := fmt.Sprint(list); err != nil || got != tt.want || len(dom.obs) != tt.obs {
				t.Errorf("got %s, %v, want %s; %d observations, want %d", got, err, tt.want, len(dom.obs), tt.obs)
			}
			if (warned > 0) != tt.warned {
				t.Errorf("%d warnings", warned)
			}
		})
	}
}

// TestBotches: a fault in a delta is reported once, not without end.
func TestBotches(t *testing.T) {
	records := [][]byte{full(0, in(1, "a"))}
	for i := range int64(3 * maxBotches) {
		records = append(records, delta(i+1, []int32{7}))
	}
	dom := loaded(t, records...).indoms[elevenDom]
	var warns []string
	dom.warn = func(m string) { warns = append(warns, m) }
	for _, at := range []int64{5, 3, 5, 1} {
		if _, err := dom.at(sec(at)); err != nil {
			t.Fatal(err)
		}
	}
	if len(warns) != 5 {
		t.Errorf("%d warnings for five deltas: %q", len(warns), warns)
	}
	dom.union()
	if len(warns) != maxBotches {
		t.Errorf("%d warnings in all", len(warns))
	}
	if want := "__pmLogUndeltaInDom: Botch: InDom 245.1: delta inst[0]=7 delete but inst not in full indom, skipped"; warns[0] != want {
		t.Errorf("got %s", warns[0])
	}
	dom = loaded(t, records...).indoms[elevenDom] // no program listens
	if list, err := dom.at(sec(50)); err != nil || fmt.Sprint(list) != "[{1 a}]" {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestUnionOrder checks the union against its definition.
func TestUnionOrder(t *testing.T) {
	dom := loaded(t, full(0, in(5, "e"), in(1, "a"), in(9, "i")), delta(1, []int32{5}, in(6, "f")), full(2, in(1, "A"), in(7, "g")),
		delta(3, []int32{7}, in(5, "E")), delta(4, []int32{1}), delta(5, nil, in(1, "again"))).indoms[elevenDom]
	var want []pcp.Instance
	for i := len(dom.obs) - 1; i >= 0; i-- {
		for _, inst := range dom.list(i) {
			if !slices.ContainsFunc(want, func(x pcp.Instance) bool { return x.ID == inst.ID }) {
				want = append(want, inst)
			}
		}
	}
	if got := dom.union(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := fmt.Sprint(want); got != "[{1 again} {5 E} {7 g} {6 f} {9 i}]" {
		t.Errorf("the definition gives %s", got)
	}
}

// TestManyChanges has a large domain of which each of many deltas deletes a little: neither time
// nor memory may grow with the product of the two.
func TestManyChanges(t *testing.T) {
	const size, steps = 50000, 10000
	insts := make([]pcp.Instance, size)
	for i := range insts {
		insts[i].ID = int32(i)
	}
	records := [][]byte{full(0, insts...)}
	for i := range int32(steps) {
		records = append(records, delta(int64(i+1), []int32{i}))
	}
	slices.Reverse(records) // out of order into the bargain
	start := time.Now()
	dom := loaded(t, records...).indoms[elevenDom]
	list, err := dom.at(sec(steps))
	if err != nil || len(list) != size-steps || list[0].ID != steps {
		t.Fatalf("%d instances, %v", len(list), err)
	}
	if n := len(dom.union()); n != size {
		t.Errorf("%d instances in all", n)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestManyLabels is the same for labels out of order, and for many of one time.
func TestManyLabels(t *testing.T) {
	const n = 50000
	var records []byte
	for i := range int64(n) {
		var err error
		for _, at := range []int64{n - i, 0} {
			if records, err = AppendLabels(records, 3, sec(at), pcp.ContextLabels, 0xffffffff, []pcp.LabelSet{labelSetOf(-1, "n", fmt.Sprint(i))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	start := time.Now()
	s := loaded(t, records)
	for at, want := range map[int64]string{0: "0", 1: fmt.Sprint(n - 1), n: "0"} {
		sets, err := s.Labels(pcp.ContextLabels, 0, sec(at))
		if err != nil || len(sets) != 1 || sets[0].Labels[0].Value != want {
			t.Errorf("at %d: got %v, %v, want %s", at, sets, err, want)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzDeltas applies deltas and compares with a model that knows nothing of records.
func FuzzDeltas(f *testing.F) {
	f.Add("+1+2,-1+3,!4+4,-9")
	f.Add("!1!2!3,+5,-5-1,,+5")
	f.Fuzz(func(t *testing.T, script string) {
		var records [][]byte
		var want []string
		have := map[int32]bool{}
		for at, step := range strings.Split(script, ",") {
			var added []pcp.Instance
			var gone []int32
			isFull := at == 0 || strings.Contains(step, "!")
			if isFull {
				clear(have)
			}
			seen := map[int32]bool{}
			for i := 1; i < len(step); i++ {
				id := int32(step[i])
				if step[i-1] != '+' && step[i-1] != '-' && step[i-1] != '!' || seen[id] {
					continue
				}
				seen[id] = true
				if step[i-1] == '-' && !isFull {
					gone = append(gone, id)
					delete(have, id)
				} else {
					added = append(added, in(id, string(rune('a'+id%26))))
					have[id] = true
				}
			}
			if len(added)+len(gone) == 0 || len(records) > 50 {
				return
			}
			if isFull {
				records = append(records, full(int64(at), added...))
			} else {
				records = append(records, delta(int64(at), gone, added...))
			}
			want = append(want, fmt.Sprint(len(have)))
		}
		dom := loaded(t, records...).indoms[elevenDom]
		for _, backward := range []bool{false, true} {
			for i := range dom.obs {
				if backward {
					i = len(dom.obs) - 1 - i
					dom.lists = nil
				}
				list := dom.list(i)
				if fmt.Sprint(len(list)) != want[i] || !slices.IsSortedFunc(list, byID) {
					t.Fatalf("observation %d: %v, want %s", i, list, want[i])
				}
			}
		}
		dom.union()
	})
}

// TestRewritten: a record that was checked may be written over later, in a file that is mapped. The
// values read then are wrong, but their bytes are within the record.
func TestRewritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		body := make([]byte, 4+random.IntN(60))
		for i := range body {
			body[i] = byte([]uint32{0, 0, 1, 4, 0xff, random.Uint32()}[random.IntN(6)])
		}
		list, names := decodeEntries(nil, body)
		for _, e := range list {
			if name := e.name(names); len(name) > len(names) || e.off < -1 {
				t.Fatalf("%x: %+v is %q", body, e, name)
			}
		}
		decodeChanges(body)
	}
}
