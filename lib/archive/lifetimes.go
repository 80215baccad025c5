package archive

import (
	"cmp"
	"slices"

	"pmtools/lib/pcp"
)

// manyInstances is how many instances an observation of a domain must have for lifetimes to matter
// (archive.md A13.5).
const manyInstances = 16

// lifetime summarizes what the observations of a domain list about one instance.
type lifetime struct {
	name  string        // the latest
	last  int           // the newest observation that holds it
	birth pcp.Timestamp // when it was first observed
	death pcp.Timestamp // if dies, when it was first missing after that
	dies  bool
}

// replay applies all observations, unless it did so before, and stores the lifetimes and the union
// of the instances: those of the newest observation, then those of the one before that are not
// among them, and so on (archive.md A11.5).
func (d *domain) replay() {
	if d.lives != nil {
		return
	}
	lives := make(map[int32]lifetime)
	names := make(map[int32]string)
	for i := range d.obs {
		at := d.obs[i].at
		list := d.apply(i, names, func(id int32, name string) {
			lives[id] = lifetime{name: name, last: i - 1, birth: lives[id].birth, death: at, dies: true}
		})
		for _, inst := range list {
			if _, there := names[inst.ID]; !there {
				continue
			}
			l, known := lives[inst.ID]
			if !known {
				l.birth = at
			}
			l.dies = false
			lives[inst.ID] = l
		}
		d.mortal = d.mortal || len(names) >= manyInstances
	}
	for id, name := range names {
		l := lives[id]
		l.name, l.last = name, len(d.obs)-1
		lives[id] = l
	}
	d.all = make([]pcp.Instance, 0, len(lives))
	for id, l := range lives {
		d.all = append(d.all, pcp.Instance{ID: id, Name: l.name})
	}
	slices.SortFunc(d.all, func(a, b pcp.Instance) int {
		return cmp.Or(cmp.Compare(lives[b.ID].last, lives[a.ID].last), cmp.Compare(a.ID, b.ID))
	})
	d.lives = lives // all is done: there was no fault
}

// lifetimes returns those of all instances, or nil if there are too few instances for them to
// matter.
func (d *domain) lifetimes() map[int32]lifetime {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replay(); !d.mortal {
		return nil
	}
	return d.lives
}
