package sampling

import (
	"slices"

	"pmtools/lib/pcp"
)

// A Column is the numbers of a Set in memory, side by side. The next sample overwrites it.
type Column struct {
	Type  pcp.Type // Float and Double, or one of the integers
	Insts []int32
	Words []uint64

	name  func(inst int32) string
	names []string // instead, in the order of the values
}

// Column returns the numbers of a set as a Column. ok is false unless all values are numbers of one type, in
// the order of the fetch.
func (set *Set) Column() (c Column, ok bool) {
	v := set.values
	if v == nil || set.order != nil {
		return c, false
	}
	if r := set.rates; r != nil {
		if !slices.Equal(r.Insts, v.Insts) {
			return c, false
		}
		v = r.Values
	}
	if v.Odd != nil || !v.Type.Arithmetic() || len(v.Words) != len(v.Insts) {
		return c, false
	}
	return Column{v.Type, v.Insts, v.Words, set.name, set.names}, true
}

// named reports whether the values have instances.
func (c *Column) named() bool { return c.name != nil || c.names != nil }

// Name returns the name of the instance of value i, "" if the values have none.
func (c *Column) Name(i int) string {
	switch {
	case c.names != nil:
		return c.names[i]
	case c.name != nil:
		return c.name(c.Insts[i])
	}
	return ""
}
