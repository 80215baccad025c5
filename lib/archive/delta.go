package archive

import "fmt"

// maxBotches is how often is said of a domain that a delta does not fit it.
const maxBotches = 100

// change applies the delta that is observation i to the names of the instances
// before it (archive.md A7.4). leave, if not nil, is told of those that are
// deleted.
func (d *domain) change(i int, names map[int32]string, leave func(id int32, name string)) {
	changes, gone := decodeChanges(d.obs[i].body)
	said := d.said
	grown := 0 // by how many there are more than before the delta
	for k, c := range changes {
		name, present := names[c.ID]
		switch {
		case gone[c.ID] && present:
			delete(names, c.ID)
			grown--
			if leave != nil {
				leave(c.ID, name)
			}
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
