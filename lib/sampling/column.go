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

	name func(inst int32) string
}

// Column returns the numbers of a set as a Column. It has none, and ok is false, unless all values are numbers
// of one type, in the order in which they were fetched.
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
	return Column{v.Type, v.Insts, v.Words, set.name}, true
}

// Name returns the name of an instance, "" if the values have none.
func (c *Column) Name(inst int32) string {
	if c.name == nil {
		return ""
	}
	return c.name(inst)
}
