package archive

import (
	"cmp"
	"slices"

	"pmtools/lib/pcp"
)

// manyInstances is the size of an observation from which on lifetimes matter (archive.md A13.5).
const manyInstances = 16

type lifetime struct {
	name  string        // the latest
	last  int           // the newest observation that holds it
	birth pcp.Timestamp // time of the first observation
	death pcp.Timestamp // if dies: time of the first observation without it
	dies  bool
}

// replay applies all observations, unless it did so before, and stores the lifetimes and the union of
// the instances.
func (d *domain) replay() {
	if d.lives != nil {
		return
	}
	h := history{domain: d, lives: make(map[int32]lifetime)}
	for i := range d.obs {
		h.observe(i)
	}
	for id, name := range h.present() {
		l := h.lives[id]
		l.name, l.last = name, len(d.obs)-1
		h.lives[id] = l
	}
	d.all = make([]pcp.Instance, 0, len(h.lives))
	for id, l := range h.lives {
		d.all = append(d.all, pcp.Instance{ID: id, Name: l.name})
	}
	slices.SortFunc(d.all, func(a, b pcp.Instance) int {
		return cmp.Or(cmp.Compare(h.lives[b.ID].last, h.lives[a.ID].last), cmp.Compare(a.ID, b.ID))
	})
	d.lives = h.lives // replay is complete: there was no fault
}

// A history follows the instances of a domain through its observations. Most observations differ little
// from the one before: maps hold only the differences, and only names of gone instances are read.
type history struct {
	*domain
	lives map[int32]lifetime
	i     int // the observation at work
	read  int // bytes read since the last release

	// The instances now: names, or if it is nil, those of a complete observation.
	names map[int32]string
	list  []entry // ascending, each once
	text  []byte  // their names
	spare []entry
}

func (h *history) observe(i int) {
	h.i = i
	if h.read += len(h.obs[i].body); h.read >= releaseStep && h.release != nil {
		h.release()
		h.read = 0
	}
	if h.obs[i].delta {
		h.names = h.present()
		for _, inst := range h.apply(i, h.names, h.leave) {
			if _, there := h.names[inst.ID]; there {
				h.come(inst.ID)
			}
		}
		h.mortal = h.mortal || len(h.names) >= manyInstances
		return
	}
	for id, name := range h.names {
		h.leave(id, name)
	}
	h.names = nil
	// Both lists ascend, so that one pass over them finds the instances that came and went.
	next, text := decodeEntries(h.spare[:0], h.obs[i].body)
	next = lastOfEach(next)
	before := h.list
	for _, e := range next {
		for len(before) > 0 && before[0].id < e.id {
			h.leave(before[0].id, before[0].name(h.text))
			before = before[1:]
		}
		if len(before) > 0 && before[0].id == e.id {
			before = before[1:]
		} else {
			h.come(e.id)
		}
	}
	for _, e := range before {
		h.leave(e.id, e.name(h.text))
	}
	h.list, h.text, h.spare = next, text, h.list
	h.mortal = h.mortal || len(next) >= manyInstances
}

// present returns the present instances as a map, and keeps them in it.
func (h *history) present() map[int32]string {
	if h.names != nil {
		return h.names
	}
	names := make(map[int32]string, len(h.list))
	for _, e := range h.list {
		names[e.id] = e.name(h.text)
	}
	h.list = h.list[:0]
	return names
}

func (h *history) come(id int32) {
	l, known := h.lives[id]
	if !known {
		l.birth = h.obs[h.i].at
	}
	l.dies, l.death = false, pcp.Timestamp{}
	h.lives[id] = l
}

func (h *history) leave(id int32, name string) {
	h.lives[id] = lifetime{name: name, last: h.i - 1, birth: h.lives[id].birth, death: h.obs[h.i].at, dies: true}
}

func lastOfEach(list []entry) []entry {
	kept := list[:0]
	for i, e := range list {
		if i+1 == len(list) || list[i+1].id != e.id {
			kept = append(kept, e)
		}
	}
	return kept
}

// lifetimes returns nil if there are too few instances for their lifetimes to matter.
func (d *domain) lifetimes() map[int32]lifetime {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replay(); !d.mortal {
		return nil
	}
	return d.lives
}
