package pmda

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Cache gives the instances of a domain numbers that stay the same while an instance comes and
// goes. Names are distinguished by the text before their first blank. The zero Cache is empty and
// ready for use.
//
// An inactive instance keeps its number, but clients do not see it. A program that scans for
// instances calls DeactivateAll, then Add for each instance that it finds.
type Cache struct {
	reuse   bool // numbers that became free are given again
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
	left   int64 // when it became inactive in this process, 0 if it did not
}

// word returns the part of a name that distinguishes it from others: that before the first blank.
func word(name string) string {
	w, _, _ := strings.Cut(name, " ")
	return w
}

// Add activates the instance with a name, and returns its number: for a new instance a number above
// all others. The error is pmerr.EINVAL if another instance has the same first word but another
// name, pmerr.Generic if name is empty or no number is free. Adding a known instance does not
// allocate.
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

func (c *Cache) free() (int32, bool) {
	n := len(c.sorted)
	if n == 0 {
		return 0, true
	}
	if last := c.sorted[n-1].ID; !c.reuse && last < math.MaxInt32 {
		return last + 1, true
	}
	c.reuse = true // once the largest number is given, free numbers below it are given again
	for i, e := range c.sorted {
		if e.ID != int32(i) {
			return int32(i), true
		}
	}
	return int32(n), n <= math.MaxInt32
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
	if e.active && !active {
		e.left = time.Now().Unix()
	}
	e.active = active
}

// Deactivate makes the instance with a name inactive, and returns its number, or pmerr.Inst.
func (c *Cache) Deactivate(name string) (int32, error) {
	e := c.entries[word(name)]
	if e == nil {
		return 0, pmerr.Inst
	}
	c.activate(e, false)
	return e.ID, nil
}

// DeactivateAll makes all instances inactive.
func (c *Cache) DeactivateAll() {
	for _, e := range c.sorted {
		c.activate(e, false)
	}
}

// Delete forgets the instance with a name, and returns the number that it had, or pmerr.Inst. The
// number is not given again, unless it was the highest.
func (c *Cache) Delete(name string) (int32, error) {
	e := c.entries[word(name)]
	if e == nil {
		return 0, pmerr.Inst
	}
	delete(c.entries, word(name))
	i, _ := c.find(e.ID)
	c.sorted = slices.Delete(c.sorted, i, i+1)
	c.stale, c.changed = true, true
	return e.ID, nil
}

// Purge forgets the instances that have not been active for a time, and returns how many. A time of
// 0 forgets all that are not active. An instance from a file was active when it was last saved
// so.
func (c *Cache) Purge(age time.Duration) int {
	before, n := time.Now().Add(-age).Unix(), len(c.sorted)
	c.sorted = slices.DeleteFunc(c.sorted, func(e *cacheEntry) bool {
		old := !e.active && max(e.stamp, e.left) <= before
		if old {
			delete(c.entries, word(e.Name))
		}
		return old
	})
	n -= len(c.sorted)
	c.stale, c.changed = c.stale || n > 0, c.changed || n > 0
	return n
}

// Dump writes a line about the Cache and one for each instance, in the order of their numbers:
// whether it is active, when it last was, number and name. It is for people.
func (c *Cache) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d instances, %d active", len(c.sorted), len(c.Active()))
	if c.reuse {
		b.WriteString(", reused")
	}
	for _, e := range c.sorted {
		state := "active"
		if !e.active {
			state = "inactive since " + time.Unix(max(e.stamp, e.left), 0).UTC().Format(time.DateTime)
		}
		fmt.Fprintf(b, "\n%d %q %s", e.ID, e.Name, state)
	}
	b.WriteByte('\n')
	return b.Flush()
}

// Lookup returns the number of the instance with a name, and whether it is active, or pmerr.Inst.
func (c *Cache) Lookup(name string) (id int32, active bool, err error) {
	e := c.entries[word(name)]
	if e == nil {
		return 0, false, pmerr.Inst
	}
	return e.ID, e.active, nil
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

// Len returns the number of instances, active or not.
func (c *Cache) Len() int { return len(c.sorted) }

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
