package sample

import (
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

type clocks struct {
	stepSize int32
	rate     uint32    // growth of value in a second
	value    uint32    // value of const_rate
	valueAt  time.Time // time of the fetch of value; zero before the first
}

func (s *collector) seconds() int64 { return int64(s.now.Sub(s.start) / time.Second) }

func (s *collector) addClocks() {
	s.clocks.stepSize, s.clocks.value = 20, 10485760
	s.define(2, pmda.One(s.seconds))
	s.define(3, pmda.One(func() float64 { return float64(s.now.Sub(s.start)/time.Microsecond) / 1000 }))
	step := func() int32 { return int32(1+s.seconds()/30) * s.clocks.stepSize }
	s.define(8, pmda.One(step)).Store = storable(&s.clocks.stepSize)
	s.define(63, pmda.One(step))
	s.define(72, pmda.One(s.constRate)).Store = setting(func(w uint64) { s.clocks.value, s.clocks.valueAt = uint32(w), s.now })
	s.define(73, pmda.One(func() uint32 { return s.clocks.rate })).Store = setting(func(w uint64) { s.clocks.rate = uint32(w) })
}

// constRate returns the sum so far. The first call counts from 1970 on, as in the reference.
func (s *collector) constRate() uint32 {
	last := s.clocks.valueAt
	if last.IsZero() {
		last = time.Unix(0, 0)
	}
	s.clocks.value += uint32(int64(float64(s.clocks.rate) * s.now.Sub(last).Seconds()))
	s.clocks.valueAt = s.now
	return s.clocks.value
}

type steps struct {
	up struct {
		repeat, step   uint32
		min, max, mode int32
		value          int32
		fetches        uint32
	}
}

// A scale is a value that stays for five fetches, and then becomes the next one.
type scale struct {
	value   float64
	fetches int
	next    func(v float64) float64
}

func (sc *scale) fetch() float64 {
	if sc.fetches == 5 {
		sc.fetches, sc.value = 0, sc.next(sc.value)
	}
	sc.fetches++
	return sc.value
}

func (s *collector) addSteps() {
	rise := func(factor, most float64) func(float64) float64 {
		return func(v float64) float64 {
			if v >= most {
				return 1
			}
			return v * factor
		}
	}
	fall := func(factor, most float64) func(float64) float64 {
		return func(v float64) float64 {
			if v /= factor; v < 1 {
				return most
			}
			return v
		}
	}
	const tera = 1 << 40
	for i, next := range []func(float64) float64{
		rise(2, tera), fall(2, tera), rise(10, 1e12), fall(10, 1e12), rise(10, 86400), rise(10, 86400e9), rise(10, 1e7),
	} {
		scale := &scale{value: 1, next: next}
		s.define(uint32(65+i), pmda.One(scale.fetch))
	}
	s.addUpDown()
}

func (s *collector) addUpDown() {
	up := &s.steps.up
	s.resetUpDown()
	s.define(164, pmda.One(s.upDown)).Store = storable(&up.value)
	s.define(165, pmda.One(func() uint32 { return up.repeat })).Store = storeUpDown(&up.repeat)
	s.int32s(166, &up.min).Store = storable(&up.min)
	s.int32s(167, &up.max).Store = storable(&up.max)
	s.define(168, pmda.One(func() uint32 { return up.step })).Store = storeUpDown(&up.step)
	s.int32s(170, &up.mode).Store = storing(func(w uint64) error {
		if n := int32(w); n != 1 && n != -1 {
			return pmerr.BadStore
		}
		up.mode = int32(w)
		return nil
	})
	s.define(171, pmda.Always(0)).Store = setting(func(uint64) { s.resetUpDown() })
}

func storeUpDown(to *uint32) func(*pmda.Client, *pcp.Values) error {
	return storing(func(w uint64) error {
		if int32(w) < 0 {
			return pmerr.Sign
		}
		*to = uint32(w)
		return nil
	})
}

func (s *collector) resetUpDown() {
	up := &s.steps.up
	up.repeat, up.step, up.min, up.max, up.mode, up.value, up.fetches = 5, 10, 0, 200, 1, 0, 0
}

func (s *collector) upDown() int32 {
	up := &s.steps.up
	if up.fetches++; up.fetches < up.repeat {
		return up.value
	}
	up.fetches = 0
	up.value += up.mode * int32(up.step)
	switch {
	case up.value > up.max:
		up.value, up.mode = up.max-int32(up.step), -1
	case up.value < up.min:
		up.value, up.mode = up.min+int32(up.step), 1
	}
	return up.value
}
