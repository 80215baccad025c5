package samples

import (
	"cmp"
	"context"
	"slices"

	"pmtools/lib/sampling"
)

// A finder finds the values of instances.
type finder struct {
	set   *sampling.Set
	order []int32 // in which the instances ascend; nil if they do
	next  int     // where the next one is most often
}

// reset makes the finder look at the values of a set.
func (f *finder) reset(ctx context.Context, set *sampling.Set) error {
	f.set, f.order, f.next = set, nil, 0
	n, ascending := set.Len(), true
	for i := 1; i < n && ascending; i++ {
		if err := sampling.Ended(ctx, i); err != nil {
			return err
		}
		ascending = set.ID(i-1) <= set.ID(i)
	}
	if ascending {
		return nil
	}
	f.order = make([]int32, n)
	for i := range f.order {
		f.order[i] = int32(i)
	}
	slices.SortFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(set.ID(int(a)), set.ID(int(b))), cmp.Compare(a, b))
	})
	return ctx.Err()
}

// id returns the identifier at a place in the order.
func (f *finder) id(i int) int32 {
	if f.order != nil {
		i = int(f.order[i])
	}
	return f.set.ID(i)
}

// find returns where the first value of an instance is in the set, -1 if there is none.
func (f *finder) find(id int32) int {
	n, i := f.set.Len(), f.next
	if i >= n || f.id(i) != id || i > 0 && f.id(i-1) == id {
		for low, high := 0, n; ; {
			if i = low; low >= high {
				break
			}
			if middle := int(uint(low+high) / 2); f.id(middle) < id {
				low = middle + 1
			} else {
				high = middle
			}
		}
		if i >= n || f.id(i) != id {
			return -1
		}
	}
	f.next = i + 1
	if f.order != nil {
		return int(f.order[i])
	}
	return i
}
