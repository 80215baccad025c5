package sampling

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// A Set holds the values of one metric in a sample. There may be millions, so it looks at columns,
// which the next sample overwrites, or at a list; a reader looks at each value in its place.
type Set struct {
	Err   error // why there are none
	More  int   // how many there were besides those that are wanted
	Named bool  // identifiers have no order that matters: Sample.Sort sorts by names

	values *pcp.Values
	rates  *rateColumn             // nil if there are none
	name   func(inst int32) string // nil if values have no instances, or names
	names  []string                // of the instances of the column
	list   []Value                 // instead of columns
	order  []int32                 // positions in the columns or the list; nil for all as they are
}

// SetOf returns the Set of a list of values.
func SetOf(values ...Value) Set { return Set{list: values} }

// ColumnSet returns the Set of a column. If rates is not nil, its values are the set's, and those
// of the column are their counters. name returns the name of an instance; nil means that the values
// have no instances.
func ColumnSet(values, rates *pcp.Values, name func(inst int32) string) Set {
	set := Set{values: values, name: name}
	if rates != nil {
		set.rates = &rateColumn{Values: rates}
	}
	return set
}

// Clear makes a Set one of an empty list, in the memory of the list that it has had.
func (set *Set) Clear() { *set = Set{list: set.list[:0]} }

// Append adds values to a Set of a list.
func (set *Set) Append(values ...Value) { set.list = append(set.list, values...) }

// Len returns the number of values.
func (set *Set) Len() int {
	if set.order != nil {
		return len(set.order)
	}
	if set.values != nil {
		return set.values.Len()
	}
	return len(set.list)
}

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

// Value returns value i, without its instance.
func (set *Set) Value(i int) pcp.Value {
	switch i = set.position(i); {
	case set.values == nil:
		return set.list[i].Value
	case set.rates != nil:
		return set.rates.at(i, set.values.Insts[i])
	}
	return set.values.Value(i)
}

// At returns value i.
func (set *Set) At(i int) Value {
	i = set.position(i)
	if set.values == nil {
		return set.list[i]
	}
	v := Value{ID: set.values.Insts[i], Value: set.values.Value(i)}
	if set.rates != nil {
		v.Counter, v.Value = v.Value, set.rates.at(i, v.ID)
	}
	if set.names != nil {
		v.Instance = set.names[i]
	} else if set.name != nil {
		v.Instance = set.name(v.ID)
	}
	return v
}

// Own returns a Set of the same values in memory of its own.
func (set *Set) Own(ctx context.Context) (Set, error) {
	list := make([]Value, set.Len())
	for i := range list {
		if err := Ended(ctx, i); err != nil {
			return Set{}, err
		}
		list[i] = set.At(i)
		if v := list[i].Value; v.IsSet() && !v.Type().Arithmetic() {
			list[i].Value = pcp.BlobValue(v.Type(), slices.Clone(v.Bytes()))
		}
	}
	return Set{Err: set.Err, More: set.More, Named: set.Named, list: list}, nil
}

// Filter keeps the values that are wanted.
func (set *Set) Filter(ctx context.Context, wanted func(*Value) bool) error {
	order := make([]int32, 0, set.Len())
	for i := range set.Len() {
		if err := Ended(ctx, i); err != nil {
			return err
		}
		if v := set.At(i); wanted(&v) {
			order = append(order, int32(set.position(i)))
		}
	}
	set.order = order
	return nil
}

// Keep drops all but the first n values, and counts the dropped ones in More.
func (set *Set) Keep(n int) {
	if all := set.Len(); all > n {
		set.More += all - n
		if set.order == nil {
			set.order = ascending(n)
		}
		set.order = set.order[:n]
	}
}

func ascending(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// SortByName sorts values by the names of their instances, and keeps the first if most is not 0.
func (set *Set) SortByName(ctx context.Context, most int) error {
	return sortBy(ctx, set, most, func(v *Value) string { return v.Instance }, strings.Compare)
}

// SortByValue sorts values by their numbers, ascending, or descending if sign is -1, and keeps the
// first if most is not 0. Those without a number come last.
func (set *Set) SortByValue(ctx context.Context, sign, most int) error {
	key := func(v *Value) float64 {
		if f := v.Number(); !math.IsNaN(f) {
			return f
		}
		return math.Inf(sign)
	}
	return sortBy(ctx, set, most, key, func(a, b float64) int { return sign * cmp.Compare(a, b) })
}

// SortByNumber sorts values by the numbers that a function gives them, ascending.
func (set *Set) SortByNumber(ctx context.Context, number func(*Value) float64) error {
	return sortBy(ctx, set, 0, number, cmp.Compare[float64])
}

// sortByID sorts values by the identifiers of their instances.
func (set *Set) sortByID(ctx context.Context) error {
	sorted := true
	for i := 1; i < set.Len() && sorted; i++ {
		sorted = set.ID(i-1) <= set.ID(i)
	}
	if sorted {
		return nil
	}
	return sortBy(ctx, set, 0, func(v *Value) int32 { return v.ID }, cmp.Compare[int32])
}

type keyed[K any] struct {
	key K
	at  int32
}

// sortBy sorts values by keys; equal ones keep their order. With most, it never holds many
// more values than these.
func sortBy[K any](ctx context.Context, set *Set, most int, key func(*Value) K, compare func(a, b K) int) error {
	var steps int
	var failed error
	byKey := func(a, b keyed[K]) int {
		if steps++; failed == nil {
			failed = Ended(ctx, steps)
		}
		if failed != nil {
			return 0 // the sort cannot be left, but it can be hurried
		}
		return cmp.Or(compare(a.key, b.key), cmp.Compare(a.at, b.at))
	}
	all := set.Len()
	if most <= 0 || most > all {
		most = all
	}
	list := make([]keyed[K], 0, min(all, 2*(most+endedEvery)+2))
	for i := range all {
		ended := Ended(ctx, i)
		if err := cmp.Or(failed, ended); err != nil {
			return err
		}
		v := set.At(i)
		list = append(list, keyed[K]{key(&v), int32(i)})
		if len(list)/2 > most+endedEvery {
			slices.SortFunc(list, byKey)
			list = list[:most]
		}
	}
	slices.SortFunc(list, byKey)
	list = list[:most]
	set.More += all - len(list)
	order := make([]int32, len(list))
	for i := range list {
		order[i] = int32(set.position(int(list[i].at)))
	}
	set.order = order
	return failed
}

const endedEvery = 1024

// Ended returns the error of ctx in some of the steps of a loop over values.
func Ended(ctx context.Context, step int) error {
	if step%endedEvery != 0 {
		return nil
	}
	return ctx.Err()
}

type rateColumn struct {
	*pcp.Values
	places map[int32]int // of the instances, once it is needed
}

// at returns the rate of an instance, most often at the position of its value.
func (r *rateColumn) at(i int, inst int32) pcp.Value {
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
