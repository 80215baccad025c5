package archive

import (
	"fmt"

	"pmtools/lib/pcp"
)

// maxBotches is how often is said of a domain that a delta does not fit it.
const maxBotches = 100

// apply turns names, the instances of the observation before, into those of
// observation i, and returns what that lists. It calls leave, if not nil, for each
// instance before that is gone, or may be gone as the observation is complete.
func (d *domain) apply(i int, names map[int32]string, leave func(id int32, name string)) []pcp.Instance {
	list, gone := decodeChanges(d.obs[i].body)
	if leave == nil {
		leave = func(int32, string) {}
	}
	if d.obs[i].delta {
		d.change(i, list, gone, names, leave)
		return list
	}
	for id, name := range names {
		leave(id, name)
	}
	clear(names)
	for _, inst := range list {
		names[inst.ID] = inst.Name
	}
	return list
}

// change applies a delta (archive.md A7.4).
func (d *domain) change(i int, changes []pcp.Instance, gone map[int32]bool, names map[int32]string, leave func(id int32, name string)) {
	said := d.said
	grown := 0 // by how many there are more than before the delta
	for k, c := range changes {
		name, present := names[c.ID]
		switch {
		case gone[c.ID] && present:
			delete(names, c.ID)
			grown--
			leave(c.ID, name)
		case gone[c.ID]:
			if d.speaks(i) {
				d.botch("delta inst[%d]=%d delete but inst not in full indom, skipped", k, c.ID)
			}
		case !present:
			names[c.ID] = c.Name
			grown++
		case name != c.Name:
			if d.speaks(i) {
				d.botch("full inst[%d]=%d \"%s\" and redefined in delta inst[%d]=%d \"%s\", second one skipped",
					rank(names, c.ID)-grown, c.ID, name, k, c.ID, c.Name)
			}
		}
	}
	if d.said > said {
		if d.told == nil {
			d.told = make(map[int]bool)
		}
		d.told[i] = true
	}
}

// rank returns how many of the instances have a smaller identifier.
func rank(names map[int32]string, id int32) int {
	n := 0
	for other := range names {
		if other < id {
			n++
		}
	}
	return n
}

// speaks reports whether there is more to be said about a delta that does not fit
// what it is applied to.
func (d *domain) speaks(i int) bool {
	return d.warn != nil && d.said < maxBotches && !d.told[i]
}

// botch says it, in the words of the reference.
func (d *domain) botch(format string, args ...any) {
	d.said++
	d.warn(fmt.Sprintf("__pmLogUndeltaInDom: Botch: InDom %s: ", d.id) + fmt.Sprintf(format, args...))
}
