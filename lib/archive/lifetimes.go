package archive

import "pmtools/lib/pcp"

// manyInstances is how many instances an observation of a domain must have for
// lifetimes to matter (archive.md A13.5).
const manyInstances = 16

// lifetime says when an instance was first observed, and when it was first missing
// after it was observed last.
type lifetime struct {
	birth, death pcp.Timestamp
	dies         bool
}

// lifetimes returns those of all instances, or nil if they do not matter.
func (d *domain) lifetimes() map[int32]lifetime {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.livesKnown {
		return d.lives
	}
	d.livesKnown = true
	lives, names := make(map[int32]lifetime), make(map[int32]string)
	most := 0
	for i := range d.obs {
		d.live(i, names, lives)
		most = max(most, len(names))
	}
	if most >= manyInstances {
		d.lives = lives
	}
	return d.lives
}

// live takes observation i into the lifetimes. names are the instances before it.
func (d *domain) live(i int, names map[int32]string, lives map[int32]lifetime) {
	o := &d.obs[i]
	leave := func(id int32, _ string) {
		l := lives[id]
		l.death, l.dies = o.at, true
		lives[id] = l
	}
	list, _ := decodeChanges(o.body)
	if o.delta {
		d.change(i, names, leave)
	} else {
		now := make(map[int32]bool, len(list))
		for _, inst := range list {
			now[inst.ID] = true
			names[inst.ID] = inst.Name
		}
		for id := range names {
			if !now[id] {
				leave(id, "")
				delete(names, id)
			}
		}
	}
	for _, inst := range list {
		if _, there := names[inst.ID]; !there {
			continue
		}
		l, known := lives[inst.ID]
		if !known {
			l.birth = o.at
		}
		l.dies = false
		lives[inst.ID] = l
	}
}
