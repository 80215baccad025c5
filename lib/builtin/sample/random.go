package sample

import (
	"fmt"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// random is what looks random (collector.md C11.3).
type random struct {
	seed  uint64
	drift struct{ value, sign int32 }
	light struct{ colour, fetches int32 }
	power struct{ value, fetches int32 }

	dodgey        int32
	dodgeyErr     pmerr.Code
	dodgeyFetches int32
	dodgeyDom     *pmda.InDom

	byteSum int32
}

// draw returns the next number that looks random: one of 31 bits.
func (s *random) draw() int32 {
	s.seed = (s.seed*0x5DEECE66D + 0xB) & (1<<48 - 1)
	return int32(s.seed >> 17)
}

// addRandom adds the metrics that look random.
func (s *collector) addRandom() {
	s.drift.value, s.drift.sign = 200, -1
	s.define(7, pcp.Int32, pcp.Instant, "A value that drifts",
		"It begins near 200, rises for some fetches and falls for others, and is never below\nzero. It can be set with pmstore(1).", pmda.One(s.nextDrift)).Store = storable(&s.drift.value)
	s.define(46, pcp.String, pcp.Discrete, "A traffic light", "\"red\", \"yellow\" or \"green\", for some fetches each.", pmda.One(s.nextLight))
	s.define(47, pcp.Int32, pcp.Discrete, "A power of two", "From 2 to 64, for some fetches each.", pmda.One(s.nextMagnitude))
	s.addDodgey()
	s.addBytes()
}

// nextDrift returns the drifting value for a fetch.
func (s *collector) nextDrift() int32 {
	d := &s.drift
	d.value = max(d.value+d.sign*(s.draw()%50), 0)
	value := d.value
	if s.draw()%100 < 20 {
		d.sign = -d.sign
	}
	return value
}

// nextLight returns the colour of the traffic light for a fetch.
func (s *collector) nextLight() string {
	l := &s.light
	if l.fetches == 0 {
		l.colour = s.draw() % 3
		l.fetches = 1 + s.draw()%10
	}
	l.fetches--
	return [...]string{"red", "yellow", "green"}[l.colour]
}

// nextMagnitude returns the power of two for a fetch.
func (s *collector) nextMagnitude() int32 {
	p := &s.power
	if p.fetches == 0 {
		p.value = 1 << (1 + s.draw()%6)
		p.fetches = 1 + s.draw()%5
	}
	p.fetches--
	return p.value
}

// addBytes adds rates, and counters that grow by them.
func (s *collector) addBytes() {
	rate := func() int32 { return s.draw() % 1024 }
	for i, row := range []struct {
		what  string
		units pcp.Units
	}{
		{"Bytes", pcp.Units{DimSpace: 1}},
		{"Bytes a second", pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Sec}},
		{"Kilobytes", pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}},
		{"Kilobytes a second", pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte, DimTime: -1, ScaleTime: pcp.Sec}},
		{"Bytes an hour", pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Hour}},
	} {
		sem, help, value := pcp.Instant, "Each fetch has another number below 1024.", rate
		if row.units.DimTime == 0 {
			sem, help = pcp.Counter, "Each fetch adds a number below 1024."
			value = func() int32 { s.byteSum += rate(); return s.byteSum }
		}
		s.define(uint32(81+i), pcp.Int32, sem, row.what+", at random", help, pmda.One(value)).Units = row.units
	}
}

// addDodgey adds a metric that works at times.
func (s *collector) addDodgey() {
	all := pmda.Numbered(1, "d1", "d2", "d3", "d4", "d5")
	s.dodgey = 5
	s.dodgeyDom = fixedInDom(6, "Instances that are there at times", all...)
	s.dodgeyDom.Help = "See sample.dodgey.control."
	s.int32s(61, "How sample.dodgey.value behaves",
		"A negative number is the error that it gives, 0 means that it has no values, 1 to 5\nhow many instances have one. With more, values and errors come and go every few\nfetches.", &s.dodgey)
	m := s.items[61]
	m.Sem = pcp.Discrete
	m.Store = func(_ *pmda.Client, v *pcp.Values) error {
		n, err := storedInt(v)
		if err == nil {
			s.dodgey, s.dodgeyErr = n, 0
			s.dodgeyDom.Instances = all
			if n > 5 {
				s.redrawDodgey(all)
			}
		}
		return err
	}
	s.define(62, pcp.Int32, pcp.Instant, "Values that are there at times", "Numbers up to 100, or an error. See sample.dodgey.control.", s.fetchDodgey).InDom = s.dodgeyDom
}

// refreshDodgey finds out which instances there are from now on, if it is time to.
func (s *collector) refreshDodgey() {
	if s.dodgey > 5 && s.dodgeyFetches < 0 {
		s.redrawDodgey(pmda.Numbered(1, "d1", "d2", "d3", "d4", "d5"))
	}
}

// redrawDodgey draws which instances there are, or which error.
func (s *collector) redrawDodgey(all []pcp.Instance) {
	r := s.draw() % 1000
	s.dodgeyErr = 0
	switch {
	case r < 33:
		s.dodgeyErr = pmerr.NoAgent
	case r < 66:
		s.dodgeyErr = pmerr.Again
	case r < 99:
		s.dodgeyErr = pmerr.AppVersion
	default:
		s.dodgeyDom.Instances = slices.DeleteFunc(slices.Clone(all), func(pcp.Instance) bool { return s.draw()%100 >= 49 })
	}
	s.dodgeyFetches = s.draw() % s.dodgey
}

// fetchDodgey delivers what there is at present. Above 5, the time until that changes
// is counted at each instance before the first value, and of the instances that are
// there only those have one whose number is not above how many there are: for no
// reason but that it is so in the reference.
func (s *collector) fetchDodgey(c *pmda.Column) error {
	n := s.dodgey
	switch {
	case s.dodgeyErr != 0:
		s.dodgeyFetches--
		return s.dodgeyErr
	case n <= 0:
		return pmerr.Code(n)
	case n > 5:
		n = int32(len(s.dodgeyDom.Instances))
	}
	for _, i := range c.Instances() {
		if c.Values().Len() == 0 {
			s.dodgeyFetches--
		}
		if i.ID <= n {
			c.Int(i.ID, int64(s.draw()%101))
		}
	}
	return nil
}

// mirage is what comes and goes with time.
type mirage struct {
	x          int32 // shared by colours and mirages
	mirages    []pcp.Instance
	mirageLast int32     // the number of the instance that was added last
	mirageAt   time.Time // of the last change
	mirageOn   bool
	mirageMsec int32
	mirageNow  bool // change with the next request, whatever time it is
}

// nextX returns the shared counter for the next value.
func (s *collector) nextX() int32 {
	s.x = (s.x + 1) % 100
	return s.x
}

// storeX sets the shared counter.
func (s *collector) storeX(_ *pmda.Client, v *pcp.Values) error {
	if len(v.Words) == 0 {
		return pmerr.BadStore
	}
	s.x = int32(uint32(v.Words[0]))
	return nil
}

// mirageName returns the name of a mirage.
func mirageName(n int32) string { return fmt.Sprintf("m-%02d", n) }

// addMirage adds colours and mirages.
func (s *collector) addMirage() {
	colours := fixedInDom(1, "Three colours", pmda.Numbered(0, "red", "green", "blue")...)
	colours.Labels = `{"model":"RGB"}`
	m := s.define(5, pcp.Int32, pcp.Instant, "Three rising numbers",
		"Each value that is fetched is one more than the last, up to 100, plus 100 for red, 200\nfor green and 300 for blue. They can be set with pmstore(1).",
		pmda.Each(func(inst int32) (int32, error) { return s.nextX() + 100*(inst+1), nil }))
	m.InDom, m.Store = colours, s.storeX
	s.define(92, pcp.Int32, pcp.Instant, "Colours without values", "There are instances, but never a value.", nil).InDom = colours

	s.mirages, s.mirageMsec, s.mirageAt = []pcp.Instance{{ID: 0, Name: mirageName(0)}}, 10000, s.start
	d := &pmda.InDom{
		Serial: 3,
		List:   func() ([]pcp.Instance, error) { return s.mirages, nil },
		InstLabels: func(inst int32) string {
			if inst == 0 {
				return `{"transient":false}`
			}
			return `{"transient":true}`
		},
		OneLine: "Instances that come and go", Help: "m-00 is always there, the others not. They change as often as\nsample.controller.mirage says.",
	}
	m = s.define(37, pcp.Int32, pcp.Instant, "Values of instances that come and go", "As sample.colour has them, but falling.",
		pmda.Each(func(inst int32) (int32, error) { return (inst+1)*100 - s.nextX(), nil }))
	m.InDom, m.Store, m.Units = d, s.storeX, pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte, DimTime: -1, ScaleTime: pcp.Sec}
	m.Fetch = s.showMirage(m.Fetch)
	m = s.define(38, pcp.Int64, pcp.Instant, "Large values of instances that come and go", "As sample.mirage, a million times as much.",
		pmda.Each(func(inst int32) (int64, error) { return 1000000 * int64((inst+1)*100-s.nextX()), nil }))
	m.InDom, m.Store, m.Units = d, s.storeX, pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Msec}
	m.Fetch = s.showMirage(m.Fetch)
	m = s.int32s(155, "How often mirages come and go", "The time after which the instances of sample.mirage change. It can be set with pmstore(1).", &s.mirageMsec)
	m.Sem, m.Units = pcp.Discrete, pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}
	m.Store = func(_ *pmda.Client, v *pcp.Values) error {
		n, err := storedInt(v)
		if err == nil {
			s.mirageMsec, s.mirageNow = n, true
		}
		return err
	}
}

// showMirage notes that mirages have been seen: only then they begin to change.
func (s *collector) showMirage(fetch func(*pmda.Column) error) func(*pmda.Column) error {
	return func(c *pmda.Column) error {
		s.mirageOn = true
		return fetch(c)
	}
}

// refreshMirage changes which mirages there are, if it is time to.
func (s *collector) refreshMirage() {
	since := s.now.Sub(s.mirageAt)
	if !s.mirageOn || !s.mirageNow && since < time.Duration(s.mirageMsec)*time.Millisecond {
		return
	}
	s.mirageNow, s.mirageAt = false, s.now
	n := int32(len(s.mirages))
	if n > 12 {
		n /= 2
	}
	// The list that was there may still be in use.
	list := slices.DeleteFunc(slices.Clone(s.mirages), func(i pcp.Instance) bool {
		return i.ID != 0 && s.draw()%1000 < 1000/n
	})
	for range 2 {
		if s.draw()%1000 >= 500 || len(list) >= 50 {
			continue
		}
		for {
			s.mirageLast = (s.mirageLast + 1) % 50
			if !slices.ContainsFunc(list, func(i pcp.Instance) bool { return i.ID == s.mirageLast }) {
				break
			}
		}
		list = append(list, pcp.Instance{ID: s.mirageLast, Name: mirageName(s.mirageLast)})
	}
	s.mirages = list
}
