package procfs

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// IDs numbers instances by their names in the order in which they were first seen, and never uses a
// number again. The numbers of some domains stay the same when programs end (see Catalog.Keep).
type IDs struct {
	Numbers map[string]int32
	names   map[int32]string
	next    int32
	load    func(n *IDs) // before the first question; may be nil
	file    string       // file for new numbers; "" keeps them in memory
	changed bool
}

// ID returns the number of an instance, and its name as a string.
func (n *IDs) ID(name []byte) (int32, string) {
	if n.load != nil {
		n.load(n)
		n.load = nil
	}
	if i, ok := n.Numbers[string(name)]; ok {
		return i, n.names[i]
	}
	for n.names[n.next] != "" { // the next number is taken: search for the next free one
		n.next = (n.next + 1) & math.MaxInt32
	}
	s, i := string(name), n.next
	n.give(i, s)
	n.changed = true
	return i, s
}

func (n *IDs) give(i int32, name string) {
	if n.Numbers == nil {
		n.Numbers, n.names = map[string]int32{}, map[int32]string{}
	}
	n.Numbers[name], n.names[i] = i, name
	if i >= n.next {
		n.next = (i + 1) & math.MaxInt32
	}
}

const maxKept = 1 << 24 // bytes of the largest file with numbers

// restore gives instances the numbers that a file has for them, unless these or the instances are
// known already. A file that is damaged, or cannot be read, is like none: the instances get new
// numbers. It is not replaced if it might be read the next time.
func (n *IDs) restore(file string) {
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxKept) {
		return
	}
	var c pmda.Cache
	if err == nil {
		err = c.Load(file)
	}
	if err != nil {
		if file == n.file && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, pmerr.Generic) {
			n.file = ""
		}
		return
	}
	for _, in := range c.All() {
		if _, known := n.Numbers[in.Name]; !known && n.names[in.ID] == "" && in.ID >= 0 {
			n.give(in.ID, in.Name)
		}
	}
}

func (n *IDs) save() {
	n.changed = false
	var c pmda.Cache
	for i, name := range n.names {
		c.Restore(pcp.Instance{ID: i, Name: name})
	}
	if os.MkdirAll(filepath.Dir(n.file), 0o700) == nil {
		_ = c.Save(n.file) // after an error the numbers are valid in this process only
	}
}

// Keep makes the numbers of a kind of instances stay the same when programs end, as the reference's
// agent does for the instance domain with a serial number. The numbers of an agent that runs here
// come first.
func (c *Catalog) Keep(kind string, serial int) {
	if c.Recorded() {
		return
	}
	name := strconv.Itoa(int(c.Domain)) + "." + strconv.Itoa(serial)
	n := c.Numbering(kind)
	n.load = func(n *IDs) {
		n.restore(c.System.path(keptDir + "/" + name))
		if c.cacheDir != "" {
			n.file = filepath.Join(c.cacheDir, name)
			n.restore(n.file)
		}
	}
	c.kept = append(c.kept, n)
}

const keptDir = "var/lib/pcp/config/pmda" // where the reference's agents keep numbers

func (c *Catalog) saveNumbers() {
	for _, n := range c.kept {
		if n.changed && n.file != "" {
			n.save()
		}
	}
}

// Numbering returns the numbering of the instances of a kind.
func (c *Catalog) Numbering(kind string) *IDs {
	if c.ids[kind] == nil {
		c.ids[kind] = &IDs{}
	}
	return c.ids[kind]
}
