package when

import (
	"time"

	"pmtools/internal/ctext"
)

// A posixRule is a TZ value of the form that POSIX gives it:
//
//	std offset [dst [offset] [,start[/time],end[/time]]]
//
// Names are three letters or more, or anything in <>; offsets are hours west.
type posixRule struct {
	std, dst       string
	stdOff, dstOff int  // seconds east of UTC
	american       bool // start and end are those of the United States
	start, end     change
}

type change struct {
	form             byte // 'J' day 1..365 without leap days, 'n' day 0..365, 'M' a weekday of a month
	month, week, day int
	clock            int // seconds since midnight
}

type ruleScanner struct {
	s   string
	pos int
}

// parseRule parses a rule. Daylight saving time without valid dates follows those of the United
// States.
func parseRule(tz string) (*posixRule, bool) {
	sc := &ruleScanner{s: tz}
	r := &posixRule{}
	var ok bool
	if r.std, ok = sc.name(); !ok {
		return nil, false
	}
	west, ok := sc.clock(24)
	if !ok {
		return nil, false
	}
	r.stdOff = -west
	if r.dst, ok = sc.name(); !ok {
		return r, true
	}
	r.dstOff = r.stdOff + 3600
	if west, ok := sc.clock(24); ok {
		r.dstOff = -west
	}
	start, ok1 := sc.change()
	end, ok2 := sc.change()
	r.start, r.end = start, end
	r.american = !ok1 || !ok2
	return r, true
}

func (sc *ruleScanner) peek() byte {
	if sc.pos >= len(sc.s) {
		return 0
	}
	return sc.s[sc.pos]
}

func (sc *ruleScanner) accept(c byte) bool {
	if sc.peek() != c {
		return false
	}
	sc.pos++
	return true
}

func (sc *ruleScanner) name() (string, bool) {
	quoted := sc.accept('<')
	start := sc.pos
	for c := sc.peek(); ctext.IsLetter(c) || quoted && (ctext.IsDigit(c) || c == '+' || c == '-'); c = sc.peek() {
		sc.pos++
	}
	name := sc.s[start:sc.pos]
	if quoted && !sc.accept('>') || len(name) < 3 {
		return "", false
	}
	return name, true
}

// number reads a number, which becomes high if it is larger.
func (sc *ruleScanner) number(high int) (int, bool) {
	n, start := 0, sc.pos
	for ctext.IsDigit(sc.peek()) {
		n = min(n*10+int(sc.peek()-'0'), high)
		sc.pos++
	}
	return n, sc.pos > start
}

// clock reads [+-]hh[:mm[:ss]] as seconds; the hours become maxHour if there are more.
func (sc *ruleScanner) clock(maxHour int) (int, bool) {
	sign := 1
	if sc.accept('-') {
		sign = -1
	} else {
		sc.accept('+')
	}
	hour, ok := sc.number(maxHour)
	if !ok {
		return 0, false
	}
	total := hour * 3600
	for unit := 60; unit > 0 && sc.accept(':'); unit /= 60 {
		n, ok := sc.number(59)
		if !ok {
			break
		}
		total += n * unit
	}
	return sign * total, true
}

func (sc *ruleScanner) change() (change, bool) {
	c := change{form: 'n', clock: 2 * 3600}
	if !sc.accept(',') {
		return c, false
	}
	ok := true
	switch {
	case sc.accept('J'):
		c.form = 'J'
		c.day, ok = sc.number(1000)
		ok = ok && c.day >= 1 && c.day <= 365
	case sc.accept('M'):
		c.form = 'M'
		ok = sc.monthForm(&c)
	default:
		c.day, ok = sc.number(1000)
		ok = ok && c.day <= 365
	}
	if ok && sc.accept('/') {
		c.clock, ok = sc.clock(167)
	}
	return c, ok
}

func (sc *ruleScanner) monthForm(c *change) bool {
	for i, p := range []struct {
		dst       *int
		low, high int
	}{{&c.month, 1, 12}, {&c.week, 1, 5}, {&c.day, 0, 6}} {
		if i > 0 && !sc.accept('.') {
			return false
		}
		n, ok := sc.number(1000)
		if !ok || n < p.low || n > p.high {
			return false
		}
		*p.dst = n
	}
	return true
}

// at returns the local time of the change in a year, in seconds since the epoch of a UTC clock.
func (c change) at(year int) int64 {
	var t time.Time
	switch c.form {
	case 'J':
		t = time.Date(year, time.January, c.day, 0, 0, 0, 0, time.UTC)
		if c.day > 59 && daysIn(int64(year), 2) == 29 {
			t = t.AddDate(0, 0, 1)
		}
	case 'M':
		t = time.Date(year, time.Month(c.month), 1, 0, 0, 0, 0, time.UTC)
		day := (c.day-int(t.Weekday())+7)%7 + 7*(c.week-1)
		if day >= int(daysIn(int64(year), int64(c.month))) {
			day -= 7
		}
		t = t.AddDate(0, 0, day)
	default:
		t = time.Date(year, time.January, 1+c.day, 0, 0, 0, 0, time.UTC)
	}
	return t.Unix() + int64(c.clock)
}

func american(year int) (start, end change) {
	sunday := func(month, week int) change {
		return change{form: 'M', month: month, week: week, clock: 2 * 3600}
	}
	switch {
	case year >= 2007:
		return sunday(3, 2), sunday(11, 1)
	case year >= 1987:
		return sunday(4, 1), sunday(10, 5)
	case year == 1975:
		return sunday(2, 4), sunday(10, 5)
	case year == 1974:
		return sunday(1, 1), sunday(10, 5)
	}
	return sunday(4, 5), sunday(10, 5)
}
