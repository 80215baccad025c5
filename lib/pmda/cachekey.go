package pmda

import (
	"cmp"
	"encoding/binary"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// SetReuse sets whether a new instance gets the lowest free number, rather than a number above all
// others.
func (c *Cache) SetReuse(reuse bool) { c.reuse = reuse }

// SetMax sets the largest number that an instance may get. A negative one is pmerr.Sign, one below
// the number of an instance pmerr.TooBig.
func (c *Cache) SetMax(max int32) error {
	n := len(c.sorted)
	switch {
	case max < 0:
		return pmerr.Sign
	case n > 0 && c.sorted[n-1].ID > max:
		return pmerr.TooBig
	}
	c.max, c.bounded = max, true
	return nil
}

const maxTries = 10 // numbers that are tried for a key

// AddKey is Add for an instance whose number is made from a key, the empty one being the name, so
// that it is the same everywhere. It makes SetReuse true. The error is pmerr.Inst if the name has
// another key, or the key another name, pmerr.Generic if no number is free.
func (c *Cache) AddKey(name, key string) (int32, error) {
	if name == "" {
		return 0, pmerr.Generic
	}
	key = cmp.Or(key, name)
	c.reuse = true
	if e := c.entries[word(name)]; e != nil {
		if !e.keyed || e.key != key {
			return 0, pmerr.Inst
		}
		c.activate(e, true)
		return e.ID, nil
	}
	var hash uint32
	for range maxTries {
		hash = keyHash(key, hash)
		id := int32(uint64(hash) % (uint64(c.limit()) + 1))
		i, taken := c.find(id)
		switch {
		case !taken:
			c.insert(&cacheEntry{Instance: pcp.Instance{ID: id, Name: name}, key: key, keyed: true, active: true})
			return id, nil
		case c.sorted[i].keyed && c.sorted[i].key == key:
			return 0, pmerr.Inst
		}
	}
	return 0, pmerr.Generic
}

// keyHash returns the hash of a key that the reference uses: Bob Jenkins's of 1996, known as
// lookup2.
func keyHash(key string, seed uint32) uint32 {
	k := []byte(key)
	a, b, c := uint32(0x9e3779b9), uint32(0x9e3779b9), seed
	for ; len(k) >= 12; k = k[12:] {
		a += binary.LittleEndian.Uint32(k)
		b += binary.LittleEndian.Uint32(k[4:])
		c += binary.LittleEndian.Uint32(k[8:])
		a, b, c = keyMix(a, b, c)
	}
	// The lowest byte of c is for the length, so the rest of the key begins above it.
	var tail [12]byte
	copy(tail[:8], k)
	if len(k) > 8 {
		copy(tail[9:], k[8:])
	}
	a += binary.LittleEndian.Uint32(tail[:])
	b += binary.LittleEndian.Uint32(tail[4:])
	c += binary.LittleEndian.Uint32(tail[8:]) + uint32(len(key))
	_, _, c = keyMix(a, b, c)
	return c
}

func keyMix(a, b, c uint32) (x, y, z uint32) {
	a = (a - b - c) ^ c>>13
	b = (b - c - a) ^ a<<8
	c = (c - a - b) ^ b>>13
	a = (a - b - c) ^ c>>12
	b = (b - c - a) ^ a<<16
	c = (c - a - b) ^ b>>5
	a = (a - b - c) ^ c>>3
	b = (b - c - a) ^ a<<10
	c = (c - a - b) ^ b>>15
	return a, b, c
}
