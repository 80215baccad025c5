package repl

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// A Set is the values of one expression in one sample. It looks at columns that the next sample
// overwrites, unless it is of several hosts.
type Set struct {
	Err  error // why there are none
	More int   // how many there were besides those that are wanted

	values *pcp.Values
	rates  *rateColumn             // nil if there are none
	name   func(inst int32) string // nil if values have no instances
	list   []Value                 // instead of columns
	order  []int32                 // positions in the columns or the list; nil for all as they are
}

// A Value is a value of an expression.
type Value struct {
	ID       int32
	Instance string        // empty for the value of a singular metric
	Host     string        // whose it is, if the Run is of several hosts
	Time     pcp.Timestamp // when that host had it; zero for the time of the Sample
	Value    pcp.Value     // not set if there is none
	Rate     pcp.Value     // of a counter, if there is one
}

// SetOf returns the Set of a list of values.
func SetOf(values ...Value) Set { return Set{list: values} }

// Len returns the number of values.
func (set *Set) Len() int {
	if set.order != nil {
		return len(set.order)
	}
	return set.size()
}

// size returns the number of values in the columns or the list.
func (set *Set) size() int {
	if set.values != nil {
		return set.values.Len()
	}
	return len(set.list)
}

// position returns where value i is in the columns or the list.
func (set *Set) position(i int) int {
	if set.order != nil {
		return int(set.order[i])
	}
	return i
}

// ID returns the instance of value i.
func (set *Set) ID(i int) int32 {
	if i = set.position(i); set.values != nil {
		return set.values.Insts[i]
	}
	return set.list[i].ID
}

// At returns value i.
func (set *Set) At(i int) Value { return set.at(set.position(i)) }

// at returns the value at a position.
func (set *Set) at(i int) Value {
	if set.values == nil {
		return set.list[i]
	}
	v := Value{ID: set.values.Insts[i], Value: set.values.Value(i), Rate: set.rates.at(i, set.values.Insts[i])}
	if set.name != nil {
		v.Instance = set.name(v.ID)
	}
	return v
}

// own returns the values in memory of their own.
func (set *Set) own(ctx context.Context) ([]Value, error) {
	list := make([]Value, set.Len())
	for i := range list {
		if err := ended(ctx, i); err != nil {
			return nil, err
		}
		list[i] = set.At(i)
		if v := list[i].Value; v.IsSet() && !v.Type().Arithmetic() {
			list[i].Value = pcp.BlobValue(v.Type(), slices.Clone(v.Bytes()))
		}
	}
	return list, nil
}

// filter keeps the values that are wanted.
func (set *Set) filter(ctx context.Context, wanted func(*Value) bool) error {
	order := make([]int32, 0, set.Len())
	for i := range set.Len() {
		if err := ended(ctx, i); err != nil {
			return err
		}
		if v := set.At(i); wanted(&v) {
			order = append(order, int32(set.position(i)))
		}
	}
	set.order = order
	return nil
}

// keep keeps the first values.
func (set *Set) keep(n int) {
	if all := set.Len(); all > n {
		set.More += all - n
		if set.order == nil {
			set.order = ascending(n)
		}
		set.order = set.order[:n]
	}
}

// ascending returns the first n positions.
func ascending(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// byName sorts values by the names of their instances, and keeps the first if most is not 0.
func (set *Set) byName(ctx context.Context, most int) error {
	return sortBy(ctx, set, most, func(v *Value) string { return v.Instance }, strings.Compare)
}

// byValue sorts values by the numbers that are shown, ascending, or descending if sign is -1, and
// keeps the first if most is not 0. Those without a number come last.
func (set *Set) byValue(ctx context.Context, sign, most int, rate bool) error {
	key := func(v *Value) float64 {
		if f := shown(v, rate); !math.IsNaN(f) {
			return f
		}
		return math.Inf(sign)
	}
	return sortBy(ctx, set, most, key, func(a, b float64) int { return sign * cmp.Compare(a, b) })
}

// A keyed is the position of a value, and what it is sorted by.
type keyed[K any] struct {
	key K
	at  int32
}

// sortBy sorts values by keys; equal ones stay in the order of their positions. If only the most
// wanted values are kept, it never has many more of them.
func sortBy[K any](ctx context.Context, set *Set, most int, key func(*Value) K, compare func(a, b K) int) error {
	var steps int
	var failed error
	byKey := func(a, b keyed[K]) int {
		if steps++; failed == nil {
			failed = ended(ctx, steps)
		}
		if failed != nil {
			return 0 // the sort cannot be left, but it can be hurried
		}
		return cmp.Or(compare(a.key, b.key), cmp.Compare(a.at, b.at))
	}
	all := set.Len()
	if most <= 0 {
		most = all
	}
	list := make([]keyed[K], 0, min(all, 2*(most+endedEvery)+2))
	for i := range all {
		if err := cmp.Or(failed, ended(ctx, i)); err != nil {
			return err
		}
		v := set.At(i)
		list = append(list, keyed[K]{key(&v), int32(set.position(i))})
		if len(list)/2 > most+endedEvery {
			slices.SortFunc(list, byKey)
			list = list[:most]
		}
	}
	slices.SortFunc(list, byKey)
	list = list[:min(most, all)]
	set.More += all - len(list)
	set.order = make([]int32, len(list))
	for i := range list {
		set.order[i] = list[i].at
	}
	return failed
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

// A rateColumn finds the rates of instances.
type rateColumn struct {
	*pcp.Values
	places map[int32]int // of the instances, once it is needed
}

// at returns the rate of an instance whose value is at a position. Most often the columns have the
// same instances.
func (r *rateColumn) at(i int, inst int32) pcp.Value {
	if r == nil {
		return pcp.Value{}
	}
	if i < r.Len() && r.Insts[i] == inst {
		return r.Value(i)
	}
	if r.places == nil {
		r.places = make(map[int32]int, r.Len())
		for k, inst := range slices.Backward(r.Insts) {
			r.places[inst] = k
		}
	}
	if k, ok := r.places[inst]; ok {
		return r.Value(k)
	}
	return pcp.Value{}
}
