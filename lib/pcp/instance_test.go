package pcp

import (
	"slices"
	"testing"
)

// TestInstanceNames finds each instance in any order, by the first of its names.
func TestInstanceNames(t *testing.T) {
	ordered := []Instance{{1, "one"}, {3, "three"}, {7, "seven"}}
	for name, tt := range map[string]struct{ list, more []Instance }{
		"in order":         {ordered, nil},
		"nothing before":   {nil, ordered},
		"out of order":     {[]Instance{{7, "seven"}, {1, "one"}, {3, "three"}}, nil},
		"two names":        {[]Instance{{1, "one"}, {1, "uno"}, {3, "three"}, {7, "seven"}}, nil},
		"the first counts": {[]Instance{{3, "three"}}, []Instance{{1, "one"}, {3, "tres"}, {7, "seven"}}},
		"one after all":    {[]Instance{{1, "one"}, {3, "three"}}, []Instance{{7, "seven"}}},
	} {
		list, more := slices.Clone(tt.list), slices.Clone(tt.more)
		n := NewInstanceNames(list, more)
		if !slices.Equal(n.List, ordered) || !slices.Equal(list, tt.list) || !slices.Equal(more, tt.more) {
			t.Errorf("%s: %v; the lists are %v, %v", name, n.List, list, more)
		}
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 1, 0, 2}} {
			for _, i := range order {
				if got, ok := n.Find(ordered[i].ID); got != ordered[i].Name || !ok {
					t.Errorf("%s: %d is %q, %v", name, ordered[i].ID, got, ok)
				}
			}
		}
		for _, inst := range []int32{NullInst, 0, 2, 8} {
			if got, ok := n.Find(inst); got != "" || ok {
				t.Errorf("%s: %d is %q, %v; want nothing", name, inst, got, ok)
			}
		}
	}
	if _, ok := new(InstanceNames).Find(0); ok {
		t.Error("a name in an empty list")
	}
}
