package linux

import "pmtools/lib/builtin/internal/procfs"

// addPaths adds disks by their identifiers: those that can be reached in several ways are several
// disks to the kernel, and are added up here. Disks without an identifier are left out.
func (l *collector) addPaths() {
	ids := l.Tables["wwid"]
	id := ids.Slot("id")
	each := func(t *procfs.Table, add func(r *procfs.Row, disk int32)) {
		for i := range l.disks.Rows {
			disk := l.disks.Rows[i].Inst
			if r := ids.Find(disk); r != nil && len(r.Cells[id].Text) > 0 && string(r.Cells[id].Text) != "unknown" {
				inst, name := l.Numbering("paths").ID(r.Cells[id].Text)
				sum := t.At(inst)
				sum.Name = name
				add(sum, disk)
			}
		}
	}
	paths := l.Fill("paths", "/proc/diskstats", func(t *procfs.Table) {
		each(t, func(r *procfs.Row, disk int32) { l.addPath(t, r, l.disks.Find(disk)) })
	}, l.disks, ids)
	copied := func(name, key, from string) {
		of := l.Tables[from]
		slot := of.Slot(key)
		l.Fill(name, l.Files[from], func(t *procfs.Table) {
			each(t, func(r *procfs.Row, disk int32) {
				if from, to := of.Find(disk), t.Cell(r, []byte(key)); from != nil && to != nil {
					to.Set(&from.Cells[slot])
				}
			})
		}, paths, of)
	}
	copied("pathcapacity", "1", "diskcapacity")
	copied("pathscheduler", "name", "scheduler")
}

func (l *collector) addPath(t *procfs.Table, sum, disk *procfs.Row) {
	for key, to := range t.Slots {
		from, ok := l.disks.Slots[key]
		if ok && disk.Cells[from].Kind == procfs.Number {
			sum.Cells[to].Add(disk.Cells[from].Num)
		}
	}
	if c := t.Cell(sum, []byte("names")); c != nil {
		if c.Kind == procfs.None {
			c.SetText(nil)
		} else {
			c.Text = append(c.Text, ' ')
		}
		c.Text = append(c.Text, disk.Name...)
	}
}
