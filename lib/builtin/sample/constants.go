package sample

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// constants are values that do not change unless they are stored.
type constants struct {
	words map[uint32]uint64 // of numbers, by item
	texts map[uint32][]byte // of strings and aggregates
}

// addConstants adds one, ten, a hundred, a million and a number that can be changed,
// in all types.
func (s *collector) addConstants() {
	s.words, s.texts = map[uint32]uint64{}, map[uint32][]byte{}
	for _, kind := range []struct {
		first uint32
		t     pcp.Type
		what  string
	}{
		{10, pcp.Int32, "a 32-bit integer"}, {15, pcp.Float, "a float"}, {20, pcp.Int64, "a 64-bit integer"}, {25, pcp.Double, "a double"},
		{93, pcp.Uint32, "an unsigned 32-bit integer"}, {98, pcp.Uint64, "an unsigned 64-bit integer"},
	} {
		for i, c := range []struct {
			name  string
			value int64
		}{{"One", 1}, {"Ten", 10}, {"A hundred", 100}, {"A million", 1000000}} {
			s.number(kind.first+uint32(i), kind.t, c.value, c.name+" as "+kind.what, "Always the same.")
		}
		s.writable(kind.first+4, kind.t, 13, "A number that can be changed, "+kind.what)
	}
	s.writable(36, pcp.Int32, 2, "A rate that can be changed").Units = pcp.Units{DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}
	s.number(4, pcp.Int32, 42, "The answer", "Always 42.")
	s.number(1023, pcp.Int32, 4194303, "A metric with the highest item number", "Always 4194303.").Units = pcp.Units{DimCount: 1}
	for i, n := range []int64{42000000, 4200000, 420000, 42000, 42} {
		scale := []int8{0, 1, 2, 3, 6}[i]
		s.number(uint32(115+i), pcp.Uint32, n, "Counts in different scales", "The same number of counts for each megabyte, each in another scale of counts.").Units =
			pcp.Units{DimCount: 1, ScaleCount: scale, DimSpace: -1, ScaleSpace: pcp.Mbyte}
	}
	for i, what := range []string{"One", "Two", "Three", "Four", "Five", "Six", "Seven"} {
		s.number(uint32(1001+i), pcp.Int32, int64(1+i), what+", under a dynamic name", "Always the same. The agent says itself which names there are below sample.secret.").Units = pcp.Units{DimCount: 1}
	}
	for first, t := range map[uint32]pcp.Type{30: pcp.String, 33: pcp.Aggregate} {
		s.text(first, t, "", "Nothing, as "+t.String())
		s.text(first+1, t, "hullo world!", "A greeting, as "+t.String())
		s.text(first+2, t, "13", "A value that can be changed, as "+t.String()).Store = s.storeText
	}
	s.text(1000, pcp.String, "foo", "A string under a dynamic name")
}

// number adds a number.
func (s *collector) number(item uint32, t pcp.Type, v int64, oneLine, help string) *pmda.Metric {
	s.words[item] = wordOf(t, float64(v))
	return s.define(item, t, pcp.Instant, oneLine, help, func(c *pmda.Column) error {
		v := c.Values()
		v.Insts, v.Words = append(v.Insts, pcp.NullInst), append(v.Words, s.words[item])
		return nil
	})
}

// wordOf returns the word of a whole number in a type.
func wordOf(t pcp.Type, v float64) uint64 {
	switch t {
	case pcp.Float:
		return uint64(math.Float32bits(float32(v)))
	case pcp.Double:
		return math.Float64bits(v)
	}
	return uint64(int64(v))
}

// writable adds a number that can be changed, and has a note about whether it was.
func (s *collector) writable(item uint32, t pcp.Type, v int64, oneLine string) *pmda.Metric {
	m := s.number(item, t, v, oneLine, "It can be set with pmstore(1). The label \"changed\" says whether that was done.")
	s.changed[item] = false
	m.Store = func(_ *pmda.Client, v *pcp.Values) error {
		if v.Len() != 1 || len(v.Words) != 1 {
			return pmerr.BadStore
		}
		s.words[item] = v.Words[0]
		return nil
	}
	return m
}

// text adds a string or an aggregate.
func (s *collector) text(item uint32, t pcp.Type, text, oneLine string) *pmda.Metric {
	s.texts[item] = []byte(text)
	return s.define(item, t, pcp.Instant, oneLine, "", func(c *pmda.Column) error {
		c.Bytes(pcp.NullInst, s.texts[item])
		return nil
	})
}

// storeText changes a string or an aggregate.
func (s *collector) storeText(_ *pmda.Client, v *pcp.Values) error {
	text, err := storedText(v)
	if err == nil {
		s.texts[v.ID.Item()] = append([]byte(nil), text...)
	}
	return err
}
