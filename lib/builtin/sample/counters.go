package sample

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// counters are numbers that change by the same amount with each fetch.
type counters struct {
	sums     map[uint32]uint64 // by item
	negative [4]float64        // whole numbers
}

// addCounters adds counters that overflow soon, or begin below zero.
func (s *collector) addCounters() {
	s.sums = map[uint32]uint64{}
	types := [...]pcp.Type{pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64}
	fast := [...]uint64{math.MaxInt32/2 - 1, math.MaxUint32/2 - 1, math.MaxInt64/2 - 1, math.MaxUint64/2 - 1}
	slow := [...]uint64{math.MaxInt32/10 - 1, math.MaxInt32/10 - 1, math.MaxInt64/10 - 1, math.MaxInt64/10 - 1}
	for i, t := range types {
		s.wrapping(uint32(57+i), t, fast[i], "A counter that overflows every other fetch", "Each fetch adds nearly half of the highest value.")
		s.wrapping(uint32(160+i), t, slow[i], "A counter that overflows after some fetches", "Each fetch adds nearly a tenth of the highest value.")
	}
	m := s.wrapping(64, pcp.Uint32, 800000000, "A counter that grows fast", "Each fetch adds 800000000.")
	m.Units, m.Labels = pcp.Units{DimCount: 1}, `{"measure":"speed","units":"metres per second","unitsystem":"SI"}`
	for i := range s.negative {
		s.negative[i] = -10000
	}
	for i, sem := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
		for j, t := range []pcp.Type{pcp.Int32, pcp.Int64, pcp.Float, pcp.Double} {
			value := &s.negative[j]
			m := s.define(uint32(141+4*i+j), t, sem, "A number that rises from below zero",
				"The first fetch has -9999, and each one more. There is one number for each type,\nwhich can be set with pmstore(1).", pmda.One(func() float64 { *value++; return *value }))
			m.Store = func(_ *pmda.Client, v *pcp.Values) error {
				if v.Len() != 1 || len(v.Words) != 1 {
					return pmerr.BadStore
				}
				*value = realOf(t, v.Words[0])
				return nil
			}
		}
	}
}

// wrapping adds a counter to which each fetch adds the same.
func (s *collector) wrapping(item uint32, t pcp.Type, step uint64, oneLine, help string) *pmda.Metric {
	return s.define(item, t, pcp.Counter, oneLine, help, pmda.One(func() uint64 {
		s.sums[item] += step
		return s.sums[item]
	}))
}

// realOf returns the number that a word of a type stands for.
func realOf(t pcp.Type, word uint64) float64 {
	switch t {
	case pcp.Float:
		return float64(math.Float32frombits(uint32(word)))
	case pcp.Double:
		return math.Float64frombits(word)
	}
	return float64(int64(word))
}

// physics are quantities with units of their own.
type physics struct {
	celsius, volts, amperes, watts float32
}

// addPhysics adds temperatures, voltages, currents and power.
func (s *collector) addPhysics() {
	s.volts, s.amperes, s.watts = 240, 13, 42
	unit := func(kind int8, scale int) pcp.Units { return pcp.Units{Extra: kind, ExtraScale: uint8(1 + scale)} }
	add := func(item uint32, units pcp.Units, what string, value *float32, from, to func(v float64) float64) {
		m := s.define(item, pcp.Float, pcp.Instant, what, "It can be set with pmstore(1), in any of its scales.",
			pmda.One(func() float64 { return to(float64(*value)) }))
		m.Units = units
		m.Store = func(_ *pmda.Client, v *pcp.Values) error {
			if v.Len() != 1 || len(v.Words) != 1 {
				return pmerr.BadStore
			}
			*value = float32(from(realOf(pcp.Float, v.Words[0])))
			return nil
		}
	}
	same := func(v float64) float64 { return v }
	add(172, unit(pcp.Temperature, 0), "A temperature in degrees Celsius", &s.celsius, same, same)
	add(173, unit(pcp.Temperature, 1), "A temperature in degrees Fahrenheit", &s.celsius,
		func(v float64) float64 { return (v - 32) * 5 / 9 }, func(v float64) float64 { return v*9/5 + 32 })
	add(174, unit(pcp.Temperature, 2), "A temperature in kelvins", &s.celsius,
		func(v float64) float64 { return v - 273.15 }, func(v float64) float64 { return v + 273.15 })
	scaled := func(item uint32, units pcp.Units, what string, value *float32, factor float64) {
		add(item, units, what, value, func(v float64) float64 { return v / factor }, func(v float64) float64 { return v * factor })
	}
	for i, prefix := range []string{"", "milli", "micro"} {
		factor := [...]float64{1, 1e3, 1e6}[i]
		scaled(uint32(175+i), unit(pcp.Voltage, i), "A voltage in "+prefix+"volts", &s.volts, factor)
		scaled(uint32(178+i), unit(pcp.Current, i), "A current in "+prefix+"amperes", &s.amperes, factor)
	}
	for i, prefix := range []string{"kilo", "", "milli", "micro"} {
		scaled(uint32(181+i), unit(pcp.Power, i), "A power in "+prefix+"watts", &s.watts, [...]float64{1e-3, 1, 1e3, 1e6}[i])
	}
}
