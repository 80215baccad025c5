package pcp

import "sort"

// SortInstances puts the values of each column in ascending order of their
// instances, as pmSortInstances does (values.md V10). Values of the same instance
// keep their order.
func (r *Result) SortInstances() {
	for i := range r.Sets {
		if s := (*byInstance)(&r.Sets[i]); !sort.IsSorted(s) {
			sort.Stable(s)
		}
	}
}

// byInstance sorts a column by instance.
type byInstance Values

// Len implements sort.Interface.
func (v *byInstance) Len() int { return len(v.Insts) }

// Less implements sort.Interface.
func (v *byInstance) Less(i, j int) bool { return v.Insts[i] < v.Insts[j] }

// Swap implements sort.Interface.
func (v *byInstance) Swap(i, j int) {
	v.Insts[i], v.Insts[j] = v.Insts[j], v.Insts[i]
	if len(v.Words) > 0 {
		v.Words[i], v.Words[j] = v.Words[j], v.Words[i]
	}
	if len(v.Blobs) > 0 {
		v.Blobs[i], v.Blobs[j] = v.Blobs[j], v.Blobs[i]
	}
	if v.Odd != nil {
		v.Odd[i], v.Odd[j] = v.Odd[j], v.Odd[i]
	}
}
