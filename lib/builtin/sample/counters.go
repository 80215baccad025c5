package sample

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

type counters struct {
	sums     map[uint32]uint64 // sums by item
	negative [4]float64        // only whole numbers
}

func (s *collector) addCounters() {
	s.counters.sums = map[uint32]uint64{}
	for item, step := range map[uint32]uint64{
		57: math.MaxInt32/2 - 1, 58: math.MaxUint32/2 - 1, 59: math.MaxInt64/2 - 1, 60: math.MaxUint64/2 - 1,
		160: math.MaxInt32/10 - 1, 161: math.MaxInt32/10 - 1, 162: math.MaxInt64/10 - 1, 163: math.MaxInt64/10 - 1,
		64: 800000000,
	} {
		s.define(item, pmda.One(func() uint64 {
			s.counters.sums[item] += step
			return s.counters.sums[item]
		}))
	}
	for i := range s.counters.negative {
		s.counters.negative[i] = -10000
	}
	for i := range 3 { // one metric each: counter, instant and discrete
		for j, t := range []pcp.Type{pcp.Int32, pcp.Int64, pcp.Float, pcp.Double} {
			value := &s.counters.negative[j]
			m := s.define(uint32(141+4*i+j), pmda.One(func() float64 { *value++; return *value }))
			m.Store = setting(func(w uint64) { *value = realOf(t, w) })
		}
	}
}

func realOf(t pcp.Type, word uint64) float64 {
	v, _ := pcp.WordValue(t, word).Float64() // every number can be converted
	return v
}

type physics struct {
	celsius, volts, amperes, watts float32
}

func (s *collector) addPhysics() {
	s.physics.volts, s.physics.amperes, s.physics.watts = 240, 13, 42
	add := func(item uint32, value *float32, from, to func(v float64) float64) {
		s.define(item, pmda.One(func() float64 { return to(float64(*value)) })).Store = setting(func(w uint64) { *value = float32(from(realOf(pcp.Float, w))) })
	}
	same := func(v float64) float64 { return v }
	add(172, &s.physics.celsius, same, same)
	add(173, &s.physics.celsius, func(v float64) float64 { return (v - 32) * 5 / 9 }, func(v float64) float64 { return v*9/5 + 32 })
	add(174, &s.physics.celsius, func(v float64) float64 { return v - 273.15 }, func(v float64) float64 { return v + 273.15 })
	scaled := func(first uint32, value *float32, factors ...float64) {
		for i, f := range factors {
			add(first+uint32(i), value, func(v float64) float64 { return v / f }, func(v float64) float64 { return v * f })
		}
	}
	scaled(175, &s.physics.volts, 1, 1e3, 1e6)
	scaled(178, &s.physics.amperes, 1, 1e3, 1e6)
	scaled(181, &s.physics.watts, 1e-3, 1, 1e3, 1e6)
}
