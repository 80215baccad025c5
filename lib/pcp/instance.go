package pcp

import (
	"cmp"
	"slices"
	"strings"
)

// An Instance is one member of an instance domain: its internal identifier and its external name.
type Instance struct {
	ID   int32
	Name string
}

// FindInstance returns the first instance of a list that is called name, or has it as the first word of
// its name.
func FindInstance(list []Instance, name string) (inst int32, ok bool) {
	for _, i := range list {
		if rest, ok := strings.CutPrefix(i.Name, name); ok && (rest == "" || rest[0] == ' ' && !strings.Contains(name, " ")) {
			return i.ID, true
		}
	}
	return NullInst, false
}

// InstanceNames finds the names of a domain's instances.
type InstanceNames struct {
	List []Instance // ascending by identifier, each instance once
	next int        // where the name of the next value is most often
}

// NewInstanceNames returns the names in two lists. If an instance has several names, the first counts.
// A domain may have millions: one list alone is not copied if it is in order.
func NewInstanceNames(list, more []Instance) InstanceNames {
	shared := true
	switch {
	case len(list) == 0:
		list = more
	case len(more) > 0:
		list, shared = slices.Concat(list, more), false
	}
	byID := func(a, b Instance) int { return cmp.Compare(a.ID, b.ID) }
	for i := 1; i < len(list); i++ {
		if list[i].ID > list[i-1].ID {
			continue
		}
		if shared {
			list = slices.Clone(list)
		}
		slices.SortStableFunc(list, byID)
		list = slices.CompactFunc(list, func(a, b Instance) bool { return a.ID == b.ID })
		break
	}
	return InstanceNames{List: list}
}

// Find returns the name of an instance. It is fast if instances are asked for in ascending order, as
// the values of most metrics stand.
func (n *InstanceNames) Find(inst int32) (name string, ok bool) {
	i := n.next
	if i >= len(n.List) || n.List[i].ID != inst {
		i, ok = slices.BinarySearchFunc(n.List, inst, func(x Instance, inst int32) int { return cmp.Compare(x.ID, inst) })
		if !ok {
			return "", false
		}
	}
	n.next = i + 1
	return n.List[i].Name, true
}
