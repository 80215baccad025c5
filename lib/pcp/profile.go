package pcp

import (
	"cmp"
	"maps"
	"slices"
)

// A Profile selects the instances that a fetch returns. The zero Profile, and nil,
// select all. It may not be shared by goroutines while it is changed.
type Profile struct {
	exclude bool // the default for domains without an entry
	entries map[InDom]*selection
}

type selection struct {
	ProfileEntry
	set map[int32]struct{}
}

// many is the number of instances from which a search in a set beats one in a list.
const many = 16

func (s *selection) has(inst int32) bool {
	if s.set == nil {
		return slices.Contains(s.Insts, inst)
	}
	_, ok := s.set[inst]
	return ok
}

func (s *selection) add(inst int32) {
	s.Insts = append(s.Insts, inst)
	if s.set == nil && len(s.Insts) > many {
		s.set = make(map[int32]struct{})
		for _, i := range s.Insts {
			s.set[i] = struct{}{}
		}
	} else if s.set != nil {
		s.set[inst] = struct{}{}
	}
}

// AddAll selects everything and forgets the selections in all domains.
func (p *Profile) AddAll() { p.exclude, p.entries = false, nil }

// DelAll selects nothing and forgets the selections in all domains.
func (p *Profile) DelAll() { p.exclude, p.entries = true, nil }

// Add selects instances of a domain; an empty list means all of them.
func (p *Profile) Add(d InDom, insts ...int32) { p.change(d, insts, true) }

// Del deselects instances of a domain; an empty list means all of them. In a domain that was not
// mentioned before, Del deselects all other instances too, as the reference does.
func (p *Profile) Del(d InDom, insts ...int32) { p.change(d, insts, false) }

// Clone returns a copy of p that shares nothing with it; a copy of nil is nil.
func (p *Profile) Clone() *Profile {
	if p == nil {
		return nil
	}
	c := &Profile{exclude: p.exclude, entries: maps.Clone(p.entries)}
	for d, e := range c.entries {
		c.entries[d] = &selection{ProfileEntry{d, e.Exclude, slices.Clone(e.Insts)}, maps.Clone(e.set)}
	}
	return c
}

// change applies rules 5 to 7 of V17.
func (p *Profile) change(d InDom, insts []int32, add bool) {
	e := p.entries[d]
	if e == nil {
		e = &selection{ProfileEntry: ProfileEntry{InDom: d, Exclude: true}}
		if p.entries == nil {
			p.entries = make(map[InDom]*selection)
		}
		p.entries[d] = e
	}
	if len(insts) == 0 {
		e.Exclude, e.Insts, e.set = !add, nil, nil
		return
	}
	for _, inst := range insts {
		switch has := e.has(inst); {
		case add == e.Exclude && !has:
			e.add(inst)
		case add != e.Exclude && has:
			i := slices.Index(e.Insts, inst)
			e.Insts = slices.Delete(e.Insts, i, i+1)
			delete(e.set, inst)
		}
	}
}

// Selects reports whether p selects instance inst of domain d. Singular metrics are always
// selected.
func (p *Profile) Selects(d InDom, inst int32) bool {
	if p == nil || d == NullInDom {
		return true
	}
	e := p.entries[d]
	if e == nil {
		return !p.exclude
	}
	return e.has(inst) == e.Exclude
}

// All reports whether p selects every instance of every domain.
func (p *Profile) All() bool { return p == nil || !p.exclude && len(p.entries) == 0 }

// A ProfileEntry is the selection of a Profile in one instance domain.
type ProfileEntry struct {
	InDom   InDom
	Exclude bool    // only Insts are selected; if false, all instances but Insts
	Insts   []int32 // in the order in which they were added
}

// Entries returns whether domains without an entry are deselected, and the entries, ascending by
// domain.
func (p *Profile) Entries() (exclude bool, entries []ProfileEntry) {
	if p == nil {
		return false, nil
	}
	for _, e := range p.entries {
		entries = append(entries, e.ProfileEntry)
	}
	slices.SortFunc(entries, func(a, b ProfileEntry) int { return cmp.Compare(a.InDom, b.InDom) })
	return p.exclude, entries
}
