package pcp

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSortInstances sorts columns of words, of bytes and of values that do not fit, whose value
// says which instance it belongs to.
func TestSortInstances(t *testing.T) {
	tests := []struct {
		name        string
		insts, want []int32
	}{
		{"none", nil, nil},
		{"singular", []int32{NullInst}, []int32{NullInst}},
		{"in order", []int32{1, 2, 9}, []int32{1, 2, 9}},
		{"reversed", []int32{300, 200, 100}, []int32{100, 200, 300}},
		{"null first", []int32{0, NullInst, 1}, []int32{NullInst, 0, 1}},
		{"extremes", []int32{math.MaxInt32, math.MinInt32, 0}, []int32{math.MinInt32, 0, math.MaxInt32}},
		{"twice", []int32{5, 3, 5, 3}, []int32{3, 3, 5, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var words, blobs, odd Values
			for _, inst := range tt.insts {
				words.Words = append(words.Words, uint64(int64(inst)))
				blobs.Blobs = append(blobs.Blobs, fmt.Append(nil, inst))
				odd.Words, odd.Odd = append(odd.Words, 0), append(odd.Odd, Odd{Bad: true, Word: uint32(inst)})
			}
			r := Result{Sets: []Values{words, blobs, odd}}
			for i := range r.Sets {
				r.Sets[i].Insts = slices.Clone(tt.insts)
			}
			r.SortInstances()
			for i := range r.Sets {
				if got := r.Sets[i].Insts; !slices.Equal(got, tt.want) {
					t.Errorf("column %d: got %v, want %v", i, got, tt.want)
				}
			}
			for k, inst := range tt.want {
				w, b, o := r.Sets[0].Words[k], r.Sets[1].Blobs[k], r.Sets[2].Odd[k]
				if w != uint64(int64(inst)) || string(b) != fmt.Sprint(inst) || o.Word != uint32(inst) {
					t.Errorf("instance %d has %d, %s, %v", inst, int64(w), b, o)
				}
			}
		})
	}
}

// TestSortInstancesStable keeps the order of values of one instance.
func TestSortInstancesStable(t *testing.T) {
	r := Result{Sets: []Values{{Insts: []int32{2, 1, 2, 1}, Words: []uint64{20, 10, 21, 11}}}}
	r.SortInstances()
	if want := []uint64{10, 11, 20, 21}; !slices.Equal(r.Sets[0].Words, want) {
		t.Errorf("got %v, want %v", r.Sets[0].Words, want)
	}
}

// TestSortInstancesAllocs makes sure that sorting each result of a loop costs no memory.
func TestSortInstancesAllocs(t *testing.T) {
	r := Result{Sets: []Values{{Insts: []int32{3, 1, 2}, Words: []uint64{3, 1, 2}}}}
	if n := testing.AllocsPerRun(10, r.SortInstances); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
