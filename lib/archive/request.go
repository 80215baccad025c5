package archive

import (
	"slices"

	"pmtools/lib/pcp"
)

type request struct {
	ids   []pcp.ID
	first map[pcp.ID]int32 // position of an ID in ids; not used for a single one
	next  []int32          // next request of the same ID, or -1
	taken []bool           // found in the current record
	descs []pcp.Desc       // of ids; of an unknown type until they are found
}

func (r *request) set(ids []pcp.ID) {
	if slices.Equal(r.ids, ids) {
		return
	}
	r.ids = append(r.ids[:0], ids...)
	r.descs = make([]pcp.Desc, len(ids))
	for i := range r.descs {
		r.descs[i].Type = pcp.Unknown
	}
	if len(ids) == 1 {
		r.next = append(r.next[:0], -1)
		r.taken = append(r.taken[:0], false)
		return
	}
	r.first = make(map[pcp.ID]int32, len(ids))
	r.next = make([]int32, len(ids))
	r.taken = make([]bool, len(ids))
	for i := len(ids) - 1; i >= 0; i-- { // from the last, so that the positions of an ID ascend
		r.next[i] = -1
		if k, ok := r.first[ids[i]]; ok {
			r.next[i] = k
		}
		r.first[ids[i]] = int32(i)
	}
}

func (r *request) find(id pcp.ID) int {
	if len(r.ids) == 1 {
		if r.ids[0] == id {
			return 0
		}
		return -1
	}
	if i, ok := r.first[id]; ok {
		return int(i)
	}
	return -1
}

func (r *request) has(id pcp.ID) bool { return r.find(id) >= 0 }

func (r *request) begin() { clear(r.taken) }

// take returns the position of an ID on its first call for a record, then -1.
func (r *request) take(id pcp.ID) int {
	i := r.find(id)
	if i >= 0 && r.taken[i] {
		return -1
	}
	if i >= 0 {
		r.taken[i] = true
	}
	return i
}

// same returns the next position of the ID at position i, or -1.
func (r *request) same(i int) int { return int(r.next[i]) }
