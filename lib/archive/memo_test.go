package archive

import (
	"math/rand/v2"
	"testing"

	"pmtools/lib/pcp"
)

func TestIDTable(t *testing.T) {
	var table idTable
	if _, ok := table.get(0); ok {
		t.Error("the empty table has an entry")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[pcp.ID]int{0: 5, pcp.NullID: 6}
	table.add(0, 5)
	table.add(pcp.NullID, 6)
	for i := range 5000 {
		id := pcp.ID(rng.Uint32() & 0x3fff)
		if _, known := want[id]; known == table.add(id, i) {
			t.Fatalf("%v: add is wrong", id)
		}
		if _, known := want[id]; !known {
			want[id] = i
		}
	}
	for id := range pcp.ID(0x4000) {
		got, ok := table.get(id)
		if w, known := want[id]; ok != known || ok && got != w {
			t.Fatalf("%v: got %d, %v, want %d", id, got, ok, w)
		}
	}
	if got, ok := table.get(pcp.NullID); !ok || got != 6 {
		t.Errorf("the last ID: got %d, %v", got, ok)
	}
}

func TestRequest(t *testing.T) {
	var r request
	for _, ids := range [][]pcp.ID{{1}, {2}, {1, 2, 1, 3, 1}, {4, 4}, {3}} {
		r.set(ids)
		for round := range 2 { // begin makes it ready for another record
			r.begin()
			for i, id := range ids {
				if !r.has(id) {
					t.Errorf("%v: %v is missing", ids, id)
				}
				first := i
				for k, other := range ids[:i] {
					if other == id {
						first = k
						break
					}
				}
				got := r.take(id)
				if first < i && got >= 0 || first == i && got != i {
					t.Errorf("%v, round %d: %v taken at %d", ids, round, id, got)
				}
				n := 0
				for k := got; k >= 0; k = r.same(k) {
					if ids[k] != id {
						t.Errorf("%v: position %d is not %v", ids, k, id)
					}
					n++
				}
				if got >= 0 && n == 0 {
					t.Errorf("%v: nothing for %v", ids, id)
				}
			}
		}
		if r.has(99) || r.take(99) >= 0 {
			t.Errorf("%v: has 99", ids)
		}
	}
}
