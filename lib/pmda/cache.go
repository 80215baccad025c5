package pmda

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Cache gives the instances of a domain numbers that stay the same while an instance comes and
// goes (collector.md C5). The text before the first blank distinguishes names. The zero
// Cache is empty and ready for use.
//
// An instance is active, or inactive: then it keeps its number, but is not delivered. A program
// that finds out which instances there are says DeactivateAll, and Add for each that it finds.
type Cache struct {
	max     int32 // the largest number, 0 without a bound; from a file
	reuse   bool  // numbers that became free are given again; from a file
	entries map[string]*cacheEntry
	sorted  []*cacheEntry  // by number
	active  []pcp.Instance // valid unless stale
	stale   bool
	changed bool // there are other entries than in the file
}

type cacheEntry struct {
	pcp.Instance
	active bool
	stamp  int64 // when it was last saved as active, in seconds since 1970
}

// word returns the part of a name that distinguishes it from others: that before the first blank.
func word(name string) string {
	w, _, _ := strings.Cut(name, " ")
	return w
}

// Add makes the instance with a name active, and returns its number: the one that it has, or a new
// one, higher than all others. The error is pmerr.EINVAL if another instance has the same first
// word but another name, pmerr.Generic if name is empty or no number is free. Adding an instance
// that is there allocates nothing.
func (c *Cache) Add(name string) (int32, error) {
	if e := c.entries[word(name)]; e != nil {
		if e.Name != name && strings.Contains(name, " ") {
			return 0, pmerr.EINVAL
		}
		c.activate(e, true)
		return e.ID, nil
	}
	if name == "" {
		return 0, pmerr.Generic
	}
	id, ok := c.free()
	if !ok {
		return 0, pmerr.Generic
	}
	c.insert(&cacheEntry{Instance: pcp.Instance{ID: id, Name: name}, active: true})
	return id, nil
}

func (c *Cache) limit() int32 { return cmp.Or(c.max, math.MaxInt32) }

func (c *Cache) free() (int32, bool) {
	n := len(c.sorted)
	if n == 0 {
		return 0, true
	}
	if last := c.sorted[n-1].ID; !c.reuse && last < c.limit() {
		return last + 1, true
	}
	c.reuse = true // once the largest number is given, free numbers below it are given again
	for i, e := range c.sorted {
		if e.ID != int32(i) {
			return int32(i), true
		}
	}
	return int32(n), n <= int(c.limit())
}

func (c *Cache) insert(e *cacheEntry) {
	if c.entries == nil {
		c.entries = map[string]*cacheEntry{}
	}
	c.entries[word(e.Name)] = e
	i, _ := c.find(e.ID)
	c.sorted = slices.Insert(c.sorted, i, e)
	c.stale, c.changed = true, true
}

func (c *Cache) find(id int32) (int, bool) {
	return slices.BinarySearchFunc(c.sorted, id, func(e *cacheEntry, id int32) int { return cmp.Compare(e.ID, id) })
}

func (c *Cache) activate(e *cacheEntry, active bool) {
	c.stale = c.stale || e.active != active
	e.active = active
}

// DeactivateAll makes all instances inactive.
func (c *Cache) DeactivateAll() {
	for _, e := range c.sorted {
		c.activate(e, false)
	}
}

// Name returns the name of the instance with a number, and whether it is active, or pmerr.Inst.
func (c *Cache) Name(id int32) (name string, active bool, err error) {
	i, ok := c.find(id)
	if !ok {
		return "", false, pmerr.Inst
	}
	return c.sorted[i].Name, c.sorted[i].active, nil
}

// All returns all instances, active or not, in the order of their numbers.
func (c *Cache) All() []pcp.Instance {
	list := make([]pcp.Instance, len(c.sorted))
	for i, e := range c.sorted {
		list[i] = e.Instance
	}
	return list
}

// Restore adds an active instance with the number that it had before. It is left out if another has
// the number, or the first word of the name.
func (c *Cache) Restore(in pcp.Instance) {
	if _, used := c.find(in.ID); used || in.Name == "" || c.entries[word(in.Name)] != nil {
		return
	}
	c.insert(&cacheEntry{Instance: in, active: true})
}

// Active returns the active instances in the order of their numbers. The slice is valid until the
// Cache changes, and may not be changed.
func (c *Cache) Active() []pcp.Instance {
	if c.stale {
		c.stale = false
		c.active = c.active[:0]
		for _, e := range c.sorted {
			if e.active {
				c.active = append(c.active, e.Instance)
			}
		}
	}
	return c.active
}
