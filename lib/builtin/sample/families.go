package sample

import (
	"fmt"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

type families struct {
	many    int32
	indom   *pmda.InDom
	profile *pcp.Profile // value for the current fetch
}

// familySum is the value of sample.needprofile for each instance.
const familySum = "\x05\x05\x09\x09\x1a"

const maxMany = 999999 // the most instances that can be asked for

func (s *collector) addFamilies() {
	s.indom("4", pmda.Numbered(0, "colleen", "terry", "emma", "cathy", "fat bald bastard")...)
	s.define(49, s.fetchNeedProfile)
	s.define(1012, pmda.Each(func(inst int32) (string, error) { return fmt.Sprintf("%02d", familySum[inst]), nil }))

	horde := make([]string, 500)
	for i := range horde {
		horde[i] = strconv.Itoa(i)
	}
	s.indom("5", pmda.Numbered(0, horde...)...)
	s.define(52, pmda.Each(func(inst int32) (int32, error) { return inst, nil }))
	s.define(53, pmda.Each(func(inst int32) (int32, error) { return 499 - inst, nil }))

	s.families.indom = s.indom("8")
	s.setMany(5)
	s.int32s(79, &s.families.many).Store = setting(func(w uint64) { s.setMany(min(max(int32(w), 0), maxMany)) })
	s.define(80, pmda.Each(func(inst int32) (int32, error) { return inst, nil }))
}

func (s *collector) setMany(n int32) {
	s.families.many = n
	list := make([]pcp.Instance, n)
	for i := range list {
		list[i] = pcp.Instance{ID: int32(i), Name: "i-" + strconv.Itoa(i)}
	}
	s.families.indom.Instances = list
}

func (s *collector) fetchNeedProfile(c *pmda.Column) error {
	_, entries := s.families.profile.Entries()
	if !slices.ContainsFunc(entries, func(e pcp.ProfileEntry) bool {
		return e.InDom == pcp.NewInDom(s.opts.Domain, 4) && len(e.Insts) > 0
	}) {
		return pmerr.Profile
	}
	for _, i := range c.Instances() {
		c.Float(i.ID, float64(familySum[i.ID]))
	}
	return nil
}

type ghosts struct {
	visible int32
	moon    int32
}

var ghostOrigins = [...]string{"Africa", "Nepal", "China", "Indonesia", "Japan", "Thailand", "Roumania", "Jamaica"}

func (s *collector) addGhosts() {
	all := pmda.Numbered(1, "Obambo", "Banjhakri", "Mogwai", "Pocong", "Hitodama", "Krahang", "Zmeu", "Duppy")
	s.ghosts.visible, s.ghosts.moon = -1, 23
	s.indom("11").List = func() ([]pcp.Instance, error) { return all[:max(s.ghosts.visible, 0)], nil }
	s.int32s(1008, &s.ghosts.visible).Store = storing(func(w uint64) error {
		n := int32(w)
		s.ghosts.moon = 23
		before := s.ghosts.visible
		s.ghosts.visible = min(n, int32(len(all)))
		if (before < 0) == (n < 0) {
			return nil
		}
		return s.SetMetrics(s.rows())
	})
	s.define(1009, pmda.Each(func(inst int32) (string, error) { return ghostOrigins[inst-1], nil }))
	s.define(1010, pmda.Each(func(inst int32) (int, error) { return len(all[inst-1].Name), nil }))
	s.define(1011, s.fetchGhosts)
}

func (s *collector) fetchGhosts(c *pmda.Column) error {
	s.ghosts.moon = (s.ghosts.moon + 1) % 24
	for _, i := range c.Instances() {
		half, state := [...]int32{1, 1, 2, 2, 3, 3, 4}, int64(0)
		if n := i.ID - 1; int(n) < len(half) && (s.ghosts.moon%(2*half[n]) < half[n]) != (n%2 == 1) {
			state = 1
		}
		c.Int(i.ID, state)
	}
	return nil
}
