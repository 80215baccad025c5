package archive

import (
	"fmt"

	"pmtools/lib/pcp"
)

// maxBotches caps the warnings about bad deltas per domain.
const maxBotches = 100

// apply turns names, the instances of the observation before, into those of observation i, and returns its
// list. It calls leave, if not nil, for each instance that a delta deletes.
func (d *domain) apply(i int, names map[int32]string, leave func(id int32, name string)) []pcp.Instance {
	list, gone := decodeChanges(d.obs[i].body)
	if d.obs[i].delta {
		if leave == nil {
			leave = func(int32, string) {}
		}
		d.change(i, list, gone, names, leave)
		return list
	}
	clear(names)
	for _, inst := range list {
		names[inst.ID] = inst.Name
	}
	return list
}

// change applies a delta (archive.md A7.4).
func (d *domain) change(i int, changes []pcp.Instance, gone map[int32]bool, names map[int32]string, leave func(id int32, name string)) {
	before := d.warnings
	grown := 0 // number of instances gained since before the delta
	for k, c := range changes {
		name, present := names[c.ID]
		switch {
		case gone[c.ID] && present:
			delete(names, c.ID)
			grown--
			leave(c.ID, name)
		case gone[c.ID]:
			if d.warns(i) {
				d.botch("delta inst[%d]=%d delete but inst not in full indom, skipped", k, c.ID)
			}
		case !present:
			names[c.ID] = c.Name
			grown++
		case name != c.Name:
			if d.warns(i) {
				d.botch("full inst[%d]=%d \"%s\" and redefined in delta inst[%d]=%d \"%s\", second one skipped",
					rank(names, c.ID)-grown, c.ID, name, k, c.ID, c.Name)
			}
		}
	}
	if d.warnings > before {
		if d.warned == nil {
			d.warned = make(map[int]bool)
		}
		d.warned[i] = true
	}
}

func rank(names map[int32]string, id int32) int {
	n := 0
	for other := range names {
		if other < id {
			n++
		}
	}
	return n
}

func (d *domain) warns(i int) bool {
	return d.warn != nil && d.warnings < maxBotches && !d.warned[i]
}

func (d *domain) botch(format string, args ...any) {
	d.warnings++
	d.warn(fmt.Sprintf("__pmLogUndeltaInDom: Botch: InDom %s: ", d.id) + fmt.Sprintf(format, args...))
}
