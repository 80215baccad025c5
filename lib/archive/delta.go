package archive

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// maxBotches is how often is said of a domain that a delta does not fit it.
const maxBotches = 100

// decodeInstances decodes a full record that was checked, ascending by identifier.
func decodeInstances(body []byte) []pcp.Instance {
	list, _ := decodeChanges(body)
	return list
}

// decodeChanges decodes the instances of a record that was checked, ascending by
// identifier; gone tells by identifier which of them are deleted.
func decodeChanges(body []byte) (list []pcp.Instance, gone map[int32]bool) {
	r := wire.NewReader(body)
	n := r.Count(8)
	ids, offsets := wire.NewReader(r.Bytes(4*n)), wire.NewReader(r.Bytes(4*n))
	names := r.String(r.Len())
	list = make([]pcp.Instance, 0, n)
	sorted := true
	for range n {
		id, off := ids.Int32(), int(offsets.Int32())
		var name string
		if off < 0 {
			if gone == nil {
				gone = make(map[int32]bool)
			}
			gone[id] = true
		} else if off < len(names) {
			name = names[off:]
			if end := strings.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
		}
		sorted = sorted && (len(list) == 0 || list[len(list)-1].ID < id)
		list = append(list, pcp.Instance{ID: id, Name: name})
	}
	if !sorted {
		slices.SortStableFunc(list, byID)
	}
	return list, gone
}

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
