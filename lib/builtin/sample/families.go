package sample

import (
	"fmt"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// families are instance domains of several sizes.
type families struct {
	many    int32
	manyDom *pmda.InDom
	profile *pcp.Profile // of the current fetch
}

// fixedInDom returns a domain whose instances do not change.
func fixedInDom(serial uint32, oneLine string, list ...pcp.Instance) *pmda.InDom {
	return &pmda.InDom{Serial: serial, Instances: list, InstLabels: pmda.NoLabels, OneLine: oneLine, Help: "The instances are always the same."}
}

// familySum is what sample.needprofile says of each.
const familySum = "\x05\x05\x09\x09\x1a"

// maxMany is the highest number of instances that can be asked for.
const maxMany = 999999

// addFamilies adds a family, a horde and as many as one likes.
func (s *collector) addFamilies() {
	family := fixedInDom(4, "A family", pmda.Numbered(0, "colleen", "terry", "emma", "cathy", "fat bald bastard")...)
	family.Labels = `{"clan":"mcdonell"}`
	s.define(49, pcp.Float, pcp.Discrete, "A metric that wants a profile",
		"There are values only for a client that has selected instances. Others get the error\nPM_ERR_PROFILE.", s.fetchNeedProfile).InDom = family
	s.define(1012, pcp.String, pcp.Discrete, "Numbers of the family, under a dynamic name", "What sample.needprofile has, as strings of two digits.",
		pmda.Each(func(inst int32) (string, error) { return fmt.Sprintf("%02d", familySum[inst]), nil })).InDom = family

	horde := make([]string, 500)
	for i := range horde {
		horde[i] = strconv.Itoa(i)
	}
	hordes := fixedInDom(5, "Five hundred instances", pmda.Numbered(0, horde...)...)
	s.define(52, pcp.Int32, pcp.Instant, "Many values, rising", "The number of each instance.",
		pmda.Each(func(inst int32) (int32, error) { return inst, nil })).InDom = hordes
	s.define(53, pcp.Int32, pcp.Instant, "Many values, falling", "499 less the number of each instance.",
		pmda.Each(func(inst int32) (int32, error) { return 499 - inst, nil })).InDom = hordes

	s.manyDom = &pmda.InDom{Serial: 8, InstLabels: pmda.NoLabels, OneLine: "As many instances as one likes", Help: "See sample.many.count."}
	s.setMany(5)
	m := s.int32s(79, "How many instances sample.many.int has", "It can be set with pmstore(1), up to 999999.", &s.many)
	m.Units = pcp.Units{DimCount: 1}
	m.Store = func(_ *pmda.Client, v *pcp.Values) error {
		n, err := storedInt(v)
		if err == nil {
			s.setMany(min(max(n, 0), maxMany))
		}
		return err
	}
	m = s.define(80, pcp.Int32, pcp.Instant, "As many values as one likes", "The number of each instance.",
		pmda.Each(func(inst int32) (int32, error) { return inst, nil }))
	m.InDom, m.Units = s.manyDom, pcp.Units{DimCount: 1}
}

// setMany makes the instances of sample.many.int.
func (s *collector) setMany(n int32) {
	s.many = n
	list := make([]pcp.Instance, n)
	for i := range list {
		list[i] = pcp.Instance{ID: int32(i), Name: "i-" + strconv.Itoa(i)}
	}
	s.manyDom.Instances = list
}

// fetchNeedProfile delivers values if the client has said which ones it wants.
func (s *collector) fetchNeedProfile(c *pmda.Column) error {
	_, entries := s.profile.Entries()
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

// ghostState are instances and names that appear when asked to.
type ghostState struct {
	visible int32
	moon    int32
	ghosts  *pmda.InDom
}

// ghostOrigins says where each ghost is from.
var ghostOrigins = [...]string{"Africa", "Nepal", "China", "Indonesia", "Japan", "Thailand", "Roumania", "Jamaica"}

// addGhosts adds the ghosts.
func (s *collector) addGhosts() {
	all := pmda.Numbered(1, "Obambo", "Banjhakri", "Mogwai", "Pocong", "Hitodama", "Krahang", "Zmeu", "Duppy")
	s.visible, s.moon = -1, 23
	s.ghosts = &pmda.InDom{
		Serial: 11, InstLabels: pmda.NoLabels,
		List:    func() ([]pcp.Instance, error) { return all[:max(s.visible, 0)], nil },
		OneLine: "Ghosts that can be seen", Help: "As many as sample.ghosts.visible says.",
	}
	m := s.int32s(1008, "How many ghosts can be seen",
		"A number from 0 to 8 that is stored here makes as many ghosts visible, and with them\nthe other metrics below sample.ghosts; a negative one makes these go away.", &s.visible)
	m.Units = pcp.Units{DimCount: 1}
	m.Store = func(_ *pmda.Client, v *pcp.Values) error {
		n, err := storedInt(v)
		if err != nil {
			return err
		}
		s.moon = 23
		before := s.visible
		s.visible = min(n, int32(len(all)))
		if (before < 0) == (n < 0) {
			return nil
		}
		return s.SetMetrics(s.named())
	}
	s.define(1009, pcp.String, pcp.Discrete, "Where a ghost is from", "A country or a continent.",
		pmda.Each(func(inst int32) (string, error) { return ghostOrigins[inst-1], nil })).InDom = s.ghosts
	s.define(1010, pcp.Uint32, pcp.Instant, "The karma of a ghost", "How many letters its name has.",
		pmda.Each(func(inst int32) (int, error) { return len(all[inst-1].Name), nil })).InDom = s.ghosts
	s.define(1011, pcp.Uint32, pcp.Instant, "Whether a ghost haunts", "1 while it does, else 0. It changes every few fetches.", s.fetchGhosts).InDom = s.ghosts
}

// fetchGhosts delivers which ghosts haunt.
func (s *collector) fetchGhosts(c *pmda.Column) error {
	s.moon = (s.moon + 1) % 24
	for _, i := range c.Instances() {
		half := [...]int32{1, 1, 2, 2, 3, 3, 4}
		on := false
		if n := i.ID - 1; int(n) < len(half) {
			on = (s.moon%(2*half[n]) < half[n]) != (n%2 == 1)
		}
		state := int64(0)
		if on {
			state = 1
		}
		c.Int(i.ID, state)
	}
	return nil
}
