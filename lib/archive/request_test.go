package archive

import (
	"testing"

	"pmtools/lib/pcp"
)

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
		if r.begin(); r.has(99) || r.take(99) >= 0 {
			t.Errorf("%v: has 99", ids)
		}
		if last := len(ids) - 1; last > 0 && ids[last] != ids[0] && r.take(ids[last]) < 0 { // the sets of a record may change places
			t.Errorf("%v: %v is missing in another place", ids, ids[last])
		}
	}
}
