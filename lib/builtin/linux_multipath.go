package builtin

import "pmtools/lib/pmda"

// addPaths adds disks by their identifiers: those that can be reached in several ways
// are several disks to the kernel, and are added up here. Disks without an identifier
// are left out.
func (l *linuxCollector) addPaths() {
	ids := l.tables["wwid"]
	id := ids.slot("id")
	each := func(t *procfsTable, add func(r *procfsRow, disk int32)) {
		for i := range l.disks.rows {
			disk := l.disks.rows[i].inst
			if r := ids.find(disk); r != nil && string(r.cells[id].text) != "unknown" {
				inst, name := l.numbering("paths").id(r.cells[id].text)
				sum := t.at(inst)
				sum.name = name
				add(sum, disk)
			}
		}
		t.sort()
	}
	paths := l.table("paths", "/proc/diskstats", func(t *procfsTable, _ *pmda.Request) error {
		each(t, func(r *procfsRow, disk int32) { l.addPath(t, r, l.disks.find(disk)) })
		return nil
	}, l.disks, ids)
	l.indoms["42"] = procfsInDom(42, paths, "Disks by their identifiers")
	copied := func(name, key, from string) {
		of := l.tables[from]
		slot := of.slot(key)
		l.table(name, l.files[from], func(t *procfsTable, _ *pmda.Request) error {
			each(t, func(r *procfsRow, disk int32) {
				if from, to := of.find(disk), t.cell(r, []byte(key)); from != nil && to != nil {
					to.kind, to.num, to.text = from.cells[slot].kind, from.cells[slot].num, append(to.text[:0], from.cells[slot].text...)
				}
			})
			return nil
		}, paths, of)
	}
	copied("pathcapacity", "1", "diskcapacity")
	copied("pathscheduler", "name", "scheduler")
}

// addPath adds the numbers of a disk to those of its identifier, and its name to the
// names.
func (l *linuxCollector) addPath(t *procfsTable, sum, disk *procfsRow) {
	for key, to := range t.slots {
		from, ok := l.disks.slots[key]
		if c := &sum.cells[to]; ok && disk.cells[from].kind == procfsNumber {
			if c.kind == procfsNone {
				c.setUint(0)
			}
			c.num += disk.cells[from].num
		}
	}
	if c := t.cell(sum, []byte("names")); c != nil {
		if c.kind == procfsNone {
			c.setText(nil)
		} else {
			c.text = append(c.text, ' ')
		}
		c.text = append(c.text, disk.name...)
	}
}
