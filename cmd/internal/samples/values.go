package samples

import (
	"cmp"
	"context"
	"slices"
)

// A List is Values in memory of their own.
type List []Value

// Len implements Values.
func (l List) Len() int { return len(l) }

// ID implements Values.
func (l List) ID(i int) int32 { return l[i].ID }

// At implements Values.
func (l List) At(i int) Value { return l[i] }

// Len returns the number of values.
func (set *Set) Len() int {
	if set.Values == nil {
		return 0
	}
	return set.Values.Len()
}

// sort puts the values of each set into the order of the instances' identifiers, unless they have
// an order already.
func (s *Sample) sort(ctx context.Context) error {
	if s.Ordered {
		return nil
	}
	for i := range s.Sets {
		set := &s.Sets[i]
		order, err := set.byID(ctx)
		if err != nil {
			return err
		}
		if order != nil {
			set.Values = arranged{set.Values, order}
		}
	}
	return nil
}

// arranged are Values in another order.
type arranged struct {
	Values
	order []int32
}

// ID implements Values.
func (a arranged) ID(i int) int32 { return a.Values.ID(int(a.order[i])) }

// At implements Values.
func (a arranged) At(i int) Value { return a.Values.At(int(a.order[i])) }

// byID returns the order of the values in which their instances ascend; nil if they do.
func (set *Set) byID(ctx context.Context) ([]int32, error) {
	n, ascending := set.Len(), true
	for i := 1; i < n && ascending; i++ {
		if err := ended(ctx, i); err != nil {
			return nil, err
		}
		ascending = set.Values.ID(i-1) <= set.Values.ID(i)
	}
	if ascending {
		return nil, nil
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	steps, failed := 0, error(nil)
	slices.SortFunc(order, func(a, b int32) int {
		if steps++; failed == nil {
			failed = ended(ctx, steps)
		}
		if failed != nil {
			return 0 // the sort cannot be left, but it can be hurried
		}
		return cmp.Or(cmp.Compare(set.Values.ID(int(a)), set.Values.ID(int(b))), cmp.Compare(a, b))
	})
	return order, failed
}

// A finder finds the values of instances.
type finder struct {
	set   *Set
	order []int32 // in which the instances ascend; nil if they do
	next  int     // where the next one is most often
}

// newFinder returns a finder for the values of a set.
func newFinder(ctx context.Context, set *Set) (*finder, error) {
	order, err := set.byID(ctx)
	return &finder{set: set, order: order}, err
}

// id returns the identifier at a place in the order.
func (f *finder) id(i int) int32 {
	if f.order != nil {
		i = int(f.order[i])
	}
	return f.set.Values.ID(i)
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

// endedEvery is after how many steps of a loop over values its context is asked.
const endedEvery = 1024

// ended returns the error of ctx in some of the steps of a loop.
func ended(ctx context.Context, step int) error {
	if step%endedEvery != 0 {
		return nil
	}
	return ctx.Err()
}
