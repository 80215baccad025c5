package sample

import (
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// bins are nine numbers that many metrics show.
type bins struct {
	values [9]int32
	list   []pcp.Instance
}

func (s *collector) bin(inst int32) *int32 { return &s.bins.values[(inst/100-1)%9] }

func binLabels(inst int32) string { return fmt.Sprintf(`{"bin":%d}`, inst) }

func (s *collector) addBins() {
	for i := range s.bins.values {
		inst := int32(i+1) * 100
		s.bins.values[i] = inst
		s.bins.list = append(s.bins.list, pcp.Instance{ID: inst, Name: fmt.Sprintf("bin-%d", inst)})
	}
	s.indom("2", s.bins.list...).InstLabels = binLabels
	values := pmda.Each(func(inst int32) (int32, error) { return *s.bin(inst), nil })
	s.define(6, values).Store = s.storeBins
	s.define(48, values)
	s.define(50, func(c *pmda.Column) error { // every other instance
		for _, i := range c.Instances() {
			if i.ID%200 != 0 {
				c.Int(i.ID, int64(*s.bin(i.ID)))
			}
		}
		return nil
	})
	s.define(51, s.fetchBogusBins)
	for item := uint32(103); item <= 114; item++ { // the metrics bin and part_bin in all types
		s.define(item, values)
	}
	s.define(111, pmda.Each(func(inst int32) (int64, error) { return int64(*s.bin(inst)) + s.seconds(), nil }))
	s.define(153, pmda.Each(func(inst int32) (string, error) { return fmt.Sprintf("%3d", *s.bin(inst)), nil }))
}

// fetchBogusBins shows values under instances that do not exist.
func (s *collector) fetchBogusBins(c *pmda.Column) error {
	v := c.Values()
	for _, i := range c.Instances() {
		inst, n := i.ID, *s.bin(i.ID)
		if inst%200 == 0 {
			inst, n = inst+50, n+50
		}
		v.Insts, v.Words = append(v.Insts, inst), append(v.Words, uint64(int64(n)))
	}
	return nil
}

func (s *collector) storeBins(_ *pmda.Client, v *pcp.Values) error {
	for i, inst := range v.Insts {
		if inst < 100 || inst > 900 || inst%100 != 0 {
			return pmerr.Inst
		}
		*s.bin(inst) = int32(uint32(v.Words[i]))
	}
	return nil
}

type scrambled struct {
	version int64
	list    []pcp.Instance
}

func (s *collector) addScramble() {
	s.scrambled.list = s.bins.list
	d := s.indom("9")
	d.InstLabels, d.List = binLabels, func() ([]pcp.Instance, error) { return s.scrambled.list, nil }
	s.define(120, pmda.One(func() int64 { return s.scrambled.version })).Store = setting(func(uint64) { s.scrambled.version = 0 })
	s.define(121, func(c *pmda.Column) error {
		s.scramble()
		for _, i := range c.Instances() {
			c.Int(i.ID, int64(i.ID))
		}
		return nil
	})
}

// scramble puts the bins into the next order (collector.md C11.3).
func (s *collector) scramble() {
	seed := uint32(s.scrambled.version*1024 + 13)
	next := func() uint32 {
		seed = (1103515245*seed + 12345) & 0x7fffffff
		return seed
	}
	var slots [9]*pcp.Instance
	for i := range s.bins.list {
		if next()%100 < 33 {
			continue
		}
		for {
			if slot := next() % 9; slots[slot] == nil {
				slots[slot] = &s.bins.list[i]
				break
			}
		}
	}
	// The list that was there may still be in use.
	s.scrambled.list = make([]pcp.Instance, 0, len(slots))
	for _, i := range slots {
		if i != nil {
			s.scrambled.list = append(s.scrambled.list, *i)
		}
	}
	s.scrambled.version++
}
