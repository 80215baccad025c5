package archive

import "pmtools/lib/pcp"
import "slices"

// Follow makes c read on where other does, with the same record and in the same
// direction. other may be a Cursor of another Set that was opened from the same
// files. If it was not, or other is in the mode Interp, Follow does nothing and
// returns false.
func (c *Cursor) Follow(other *Cursor) bool {
	if other.mode == pcp.Interp || !c.scan.set.like(other.scan.set) {
		return false
	}
	c.mode, c.origin, c.interp = other.mode, other.origin, nil
	c.placed, c.pos, c.last, c.held = other.placed, other.pos, other.last, nowhere
	c.scan.dropped = slices.Clone(other.scan.dropped)
	if at := other.scan.window(); at != nowhere {
		_ = c.scan.load(&at) // for Label; reading meets the error again
	}
	return true
}

// window returns a position in the volume that s looks at, or nowhere.
func (s *scanner) window() position {
	for i, m := range s.set.members {
		if k := slices.Index(m.volumes, s.vol); k >= 0 {
			return position{member: i, volume: k}
		}
	}
	return nowhere
}

// like reports whether s was opened from the same files as another Set, so that
// positions mean the same in both.
func (s *Set) like(other *Set) bool {
	sameVolume := func(a, b *volume) bool { return a.number == b.number }
	return s == other || slices.EqualFunc(s.members, other.members, func(a, b *member) bool {
		return a.name == b.name && a.label == b.label && slices.EqualFunc(a.volumes, b.volumes, sameVolume)
	})
}
