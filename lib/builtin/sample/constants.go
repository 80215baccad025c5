package sample

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// constants are values that do not change unless they are stored.
type constants struct {
	words map[uint32]uint64 // words of numeric metrics, by item
	texts map[uint32][]byte // texts of strings and aggregates
}

func (s *collector) addConstants() {
	s.constants.words, s.constants.texts = map[uint32]uint64{}, map[uint32][]byte{}
	for first, t := range map[uint32]pcp.Type{10: pcp.Int32, 15: pcp.Float, 20: pcp.Int64, 25: pcp.Double, 93: pcp.Uint32, 98: pcp.Uint64} {
		for i, n := range []float64{1, 10, 100, 1000000} {
			s.number(first+uint32(i), wordOf(t, n))
		}
		s.writable(first+4, wordOf(t, 13))
	}
	s.writable(36, 2)
	s.number(4, 42)
	s.number(1023, 4194303)
	for i, n := range []uint64{42000000, 4200000, 420000, 42000, 42} {
		s.number(uint32(115+i), n)
	}
	for i := range uint32(7) {
		s.number(1001+i, uint64(1+i))
	}
	for _, first := range []uint32{30, 33} {
		s.text(first, "")
		s.text(first+1, "hullo world!")
		s.text(first+2, "13").Store = s.storeText
	}
	s.text(1000, "foo")
}

func (s *collector) number(item uint32, word uint64) *pmda.Metric {
	s.constants.words[item] = word
	return s.define(item, func(c *pmda.Column) error {
		v := c.Values()
		v.Insts, v.Words = append(v.Insts, pcp.NullInst), append(v.Words, s.constants.words[item])
		return nil
	})
}

func wordOf(t pcp.Type, v float64) uint64 {
	switch t {
	case pcp.Float:
		return uint64(math.Float32bits(float32(v)))
	case pcp.Double:
		return math.Float64bits(v)
	}
	return uint64(int64(v))
}

// writable adds a number that can be changed, and a note about whether it was.
func (s *collector) writable(item uint32, word uint64) {
	s.control.changed[item] = false
	s.number(item, word).Store = setting(func(w uint64) { s.constants.words[item] = w })
}

func (s *collector) text(item uint32, text string) *pmda.Metric {
	s.constants.texts[item] = []byte(text)
	return s.define(item, func(c *pmda.Column) error {
		c.Bytes(pcp.NullInst, s.constants.texts[item])
		return nil
	})
}

func (s *collector) storeText(_ *pmda.Client, v *pcp.Values) error {
	text, err := storedText(v)
	if err == nil {
		s.constants.texts[v.ID.Item()] = append([]byte(nil), text...)
	}
	return err
}
