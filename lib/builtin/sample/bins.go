package sample

import (
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// binState are nine numbers that many metrics show.
type binState struct {
	bins    [9]int32
	binList []pcp.Instance
	binDom  *pmda.InDom
}

// bin returns the place of an instance's number.
func (s *collector) bin(inst int32) *int32 { return &s.bins[(inst/100-1)%9] }

// binLabels returns the labels of a bin.
func binLabels(inst int32) string { return fmt.Sprintf(`{"bin":%d}`, inst) }

// addBins adds the metrics that show the bins.
func (s *collector) addBins() {
	for i := range s.bins {
		inst := int32(i+1) * 100
		s.bins[i] = inst
		s.binList = append(s.binList, pcp.Instance{ID: inst, Name: fmt.Sprintf("bin-%d", inst)})
	}
	s.binDom = &pmda.InDom{
		Serial: 2, Instances: s.binList, InstLabels: binLabels,
		OneLine: "The nine bins", Help: "There are always nine: bin-100 to bin-900.",
	}
	values := pmda.Each(func(inst int32) (int32, error) { return *s.bin(inst), nil })
	add := func(item uint32, t pcp.Type, oneLine, help string, fetch func(*pmda.Column) error) *pmda.Metric {
		m := s.define(item, t, pcp.Instant, oneLine, help, fetch)
		m.InDom = s.binDom
		return m
	}
	add(6, pcp.Int32, "Nine numbers", "In the beginning the number of the instance. They can be set with pmstore(1).", values).Store = s.storeBins
	add(48, pcp.Int32, "Nine numbers, once more", "As sample.bin, but they cannot be set.", values)
	add(50, pcp.Int32, "Some of nine numbers", "As sample.bin, but every other instance has no value.", func(c *pmda.Column) error {
		for _, i := range c.Instances() {
			if i.ID%200 != 0 {
				c.Int(i.ID, int64(*s.bin(i.ID)))
			}
		}
		return nil
	})
	add(51, pcp.Int32, "Nine numbers, some of them of instances that are not there",
		"As sample.bin, but values of every other instance belong to an instance that the\ndomain does not have, and are higher by 50.", s.fetchBogusBins)
	for i, t := range []pcp.Type{pcp.Int32, pcp.Uint32, pcp.Float, pcp.Int64, pcp.Uint64, pcp.Double} {
		fetch := values
		if t == pcp.Uint64 {
			fetch = pmda.Each(func(inst int32) (int64, error) { return int64(*s.bin(inst)) + s.seconds(), nil })
		}
		item := uint32(103 + 2*i)
		add(item, t, "Nine numbers of type "+t.Text(), "As sample.bin, in another type.", fetch)
		m := add(item+1, t, "Nine counters of type "+t.Text(), "As sample.bin, in another type, and as counters.", values)
		m.Sem, m.Units = pcp.Counter, pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	}
	add(153, pcp.String, "Nine numbers as strings", "As sample.bin, but as strings of at least three characters.", pmda.Each(func(inst int32) (string, error) {
		return fmt.Sprintf("%3d", *s.bin(inst)), nil
	}))
}

// fetchBogusBins shows values under instances that are not there.
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

// storeBins changes some of the numbers.
func (s *collector) storeBins(_ *pmda.Client, v *pcp.Values) error {
	for i, inst := range v.Insts {
		if inst < 100 || inst > 900 || inst%100 != 0 {
			return pmerr.Inst
		}
		*s.bin(inst) = int32(uint32(v.Words[i]))
	}
	return nil
}

// scrambleState are the bins in an order that changes with each fetch.
type scrambleState struct {
	version   int64
	scrambled []pcp.Instance
}

// addScramble adds the metrics of the scrambled bins.
func (s *collector) addScramble() {
	s.scrambled = s.binList
	d := &pmda.InDom{
		Serial: 9, InstLabels: binLabels,
		List:    func() ([]pcp.Instance, error) { return s.scrambled, nil },
		OneLine: "Bins in an order that changes", Help: "Each fetch of sample.scramble.bin puts the bins into another order, and leaves some\nof them out.",
	}
	s.define(120, pcp.Int64, pcp.Instant, "How often the bins were scrambled",
		"How many fetches of sample.scramble.bin there were. Storing anything here makes the\norders begin again.", pmda.One(func() int64 { return s.version })).Store = func(_ *pmda.Client, v *pcp.Values) error {
		if v.Len() != 1 || len(v.Words) != 1 {
			return pmerr.BadStore
		}
		s.version = 0
		return nil
	}
	s.define(121, pcp.Int32, pcp.Instant, "Bins in an order that changes", "The number of each instance that is there.", func(c *pmda.Column) error {
		s.scramble()
		for _, i := range c.Instances() {
			c.Int(i.ID, int64(i.ID))
		}
		return nil
	}).InDom = d
}

// scramble puts the bins into the next order (collector.md C11.3).
func (s *collector) scramble() {
	seed := uint32(s.version*1024 + 13)
	next := func() uint32 {
		seed = (1103515245*seed + 12345) & 0x7fffffff
		return seed
	}
	var slots [9]*pcp.Instance
	for i := range s.binList {
		if next()%100 < 33 {
			continue
		}
		for {
			if slot := next() % 9; slots[slot] == nil {
				slots[slot] = &s.binList[i]
				break
			}
		}
	}
	// The list that was there may still be in use.
	s.scrambled = make([]pcp.Instance, 0, len(slots))
	for _, i := range slots {
		if i != nil {
			s.scrambled = append(s.scrambled, *i)
		}
	}
	s.version++
}
