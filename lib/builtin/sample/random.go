package sample

import (
	"fmt"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// random are the values that look random (collector.md C11.3).
type random struct {
	seed  uint64
	drift struct{ value, sign int32 }
	light struct{ colour, fetches int32 }
	power struct{ value, fetches int32 }

	dodgey        int32
	dodgeyErr     pmerr.Code
	dodgeyFetches int32
	dodgeyDom     *pmda.InDom
	dodgeyAll     []pcp.Instance

	byteSum int32
}

// draw returns the next number that looks random: one of 31 bits.
func (s *random) draw() int32 {
	s.seed = (s.seed*0x5DEECE66D + 0xB) & (1<<48 - 1)
	return int32(s.seed >> 17)
}

func (s *collector) addRandom() {
	s.random.drift.value, s.random.drift.sign = 200, -1
	s.define(7, pmda.One(s.nextDrift)).Store = storable(&s.random.drift.value)
	s.define(46, pmda.One(s.nextLight))
	s.define(47, pmda.One(s.nextMagnitude))
	s.addDodgey()
	rate := func() int32 { return s.random.draw() % 1024 }
	sum := func() int32 { s.random.byteSum += rate(); return s.random.byteSum }
	for i, value := range []func() int32{sum, rate, sum, rate, rate} {
		s.define(uint32(81+i), pmda.One(value))
	}
}

func (s *collector) nextDrift() int32 {
	d := &s.random.drift
	d.value = max(d.value+d.sign*(s.random.draw()%50), 0)
	value := d.value
	if s.random.draw()%100 < 20 {
		d.sign = -d.sign
	}
	return value
}

func (s *collector) nextLight() string {
	l := &s.random.light
	if l.fetches == 0 {
		l.colour = s.random.draw() % 3
		l.fetches = 1 + s.random.draw()%10
	}
	l.fetches--
	return [...]string{"red", "yellow", "green"}[l.colour]
}

func (s *collector) nextMagnitude() int32 {
	p := &s.random.power
	if p.fetches == 0 {
		p.value = 1 << (1 + s.random.draw()%6)
		p.fetches = 1 + s.random.draw()%5
	}
	p.fetches--
	return p.value
}

func (s *collector) addDodgey() {
	s.random.dodgey = 5
	s.random.dodgeyAll = pmda.Numbered(1, "d1", "d2", "d3", "d4", "d5")
	s.random.dodgeyDom = s.indom("6", s.random.dodgeyAll...)
	s.int32s(61, &s.random.dodgey).Store = setting(func(w uint64) {
		s.random.dodgey, s.random.dodgeyErr, s.random.dodgeyDom.Instances = int32(w), 0, s.random.dodgeyAll
		if s.random.dodgey > 5 {
			s.redrawDodgey()
		}
	})
	s.define(62, s.fetchDodgey)
}

func (s *collector) redrawDodgey() {
	r := s.random.draw() % 1000
	s.random.dodgeyErr = 0
	switch {
	case r < 33:
		s.random.dodgeyErr = pmerr.NoAgent
	case r < 66:
		s.random.dodgeyErr = pmerr.Again
	case r < 99:
		s.random.dodgeyErr = pmerr.AppVersion
	default:
		s.random.dodgeyDom.Instances = slices.DeleteFunc(slices.Clone(s.random.dodgeyAll), func(pcp.Instance) bool { return s.random.draw()%100 >= 49 })
	}
	s.random.dodgeyFetches = s.random.draw() % s.random.dodgey
}

// fetchDodgey delivers the present instances. With a control above 5, the time until the next
// change is counted at each instance before the first value, and only instances up to the number of
// present ones have values: the reference behaves so.
func (s *collector) fetchDodgey(c *pmda.Column) error {
	n := s.random.dodgey
	switch {
	case s.random.dodgeyErr != 0:
		s.random.dodgeyFetches--
		return s.random.dodgeyErr
	case n <= 0:
		return pmerr.Code(n)
	case n > 5:
		n = int32(len(s.random.dodgeyDom.Instances))
	}
	for _, i := range c.Instances() {
		if c.Values().Len() == 0 {
			s.random.dodgeyFetches--
		}
		if i.ID <= n {
			c.Int(i.ID, int64(s.random.draw()%101))
		}
	}
	return nil
}

// mirage are the instances that come and go with time.
type mirage struct {
	x    int32 // shared by colours and mirages
	list []pcp.Instance
	last int32     // the number of the instance that was added last
	at   time.Time // time of the last change
	on   bool
	msec int32
	now  bool // change with the next request, at any time
}

// nextX returns the shared counter for the next value.
func (s *collector) nextX() int32 {
	s.mirage.x = (s.mirage.x + 1) % 100
	return s.mirage.x
}

func (s *collector) storeX(_ *pmda.Client, v *pcp.Values) error {
	if len(v.Words) == 0 {
		return pmerr.BadStore
	}
	s.mirage.x = int32(uint32(v.Words[0]))
	return nil
}

func mirageName(n int32) string { return fmt.Sprintf("m-%02d", n) }

func (s *collector) addMirage() {
	s.indom("1", pmda.Numbered(0, "red", "green", "blue")...)
	s.define(5, pmda.Each(func(inst int32) (int32, error) { return s.nextX() + 100*(inst+1), nil })).Store = s.storeX
	s.define(92, nil)

	s.mirage.list, s.mirage.msec, s.mirage.at = []pcp.Instance{{ID: 0, Name: mirageName(0)}}, 10000, s.start
	d := s.indom("3")
	d.List = func() ([]pcp.Instance, error) { return s.mirage.list, nil }
	d.InstLabels = func(inst int32) string { return fmt.Sprintf(`{"transient":%t}`, inst != 0) }
	value := func(inst int32) (int32, error) { return (inst+1)*100 - s.nextX(), nil }
	million := func(inst int32) (int64, error) { return 1000000 * int64((inst+1)*100-s.nextX()), nil }
	s.define(37, s.showMirage(pmda.Each(value))).Store = s.storeX
	s.define(38, s.showMirage(pmda.Each(million))).Store = s.storeX
	s.int32s(155, &s.mirage.msec).Store = setting(func(w uint64) { s.mirage.msec, s.mirage.now = int32(w), true })
}

// showMirage notes that mirages have been seen: only then do they begin to change.
func (s *collector) showMirage(fetch func(*pmda.Column) error) func(*pmda.Column) error {
	return func(c *pmda.Column) error {
		s.mirage.on = true
		return fetch(c)
	}
}

func (s *collector) refreshMirage() {
	since := s.now.Sub(s.mirage.at)
	if !s.mirage.on || !s.mirage.now && since < time.Duration(s.mirage.msec)*time.Millisecond {
		return
	}
	s.mirage.now, s.mirage.at = false, s.now
	n := int32(len(s.mirage.list))
	if n > 12 {
		n /= 2
	}
	// The list that was there may still be in use.
	list := slices.DeleteFunc(slices.Clone(s.mirage.list), func(i pcp.Instance) bool {
		return i.ID != 0 && s.random.draw()%1000 < 1000/n
	})
	for range 2 {
		if s.random.draw()%1000 >= 500 || len(list) >= 50 {
			continue
		}
		for {
			s.mirage.last = (s.mirage.last + 1) % 50
			if !slices.ContainsFunc(list, func(i pcp.Instance) bool { return i.ID == s.mirage.last }) {
				break
			}
		}
		list = append(list, pcp.Instance{ID: s.mirage.last, Name: mirageName(s.mirage.last)})
	}
	s.mirage.list = list
}
