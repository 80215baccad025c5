package when

import "time"

// Grammar of free-form dates (values.md V13.4), whose items come in any order:
//
//	item     = time | zone | date | weekday | relative | number
//	time     = N half | N ":" N [":" N] [half | SIGNED]
//	zone     = ZONE ["dst"] | SUMMERZONE
//	date     = N "/" N ["/" N] | N SIGNED SIGNED | N MONTH [N | SIGNED] | MONTH N ["," N]
//	weekday  = N DAY | DAY [","]
//	relative = [N | SIGNED] UNIT ["ago"]
//	number   = N
//
// A token joins the item before it if possible: a number after a day and month is the year.

// maxShift bounds the sum of relative seconds, so that no addition overflows.
const maxShift = int64(1) << 50

const daySeconds = 24 * 60 * 60

type freeForm struct {
	tokens []token

	times, zones, dates, days, relatives, aligned int // number of items of each kind

	year, month, day     int64
	hour, minute, second int64
	half                 int64 // 0 am, 12 pm, -1 for a 24-hour time
	west                 int64 // minutes west of UTC
	local                bool  // the zone is the reporting zone
	weekday, ordinal     int64
	shift, shiftMonths   int64
	ago                  bool // an "ago" occurred
}

// parseFree reads a free-form date. Missing parts of the date come from base in loc.
func parseFree(s string, base time.Time, loc *time.Location) (*freeForm, bool) {
	b := base.In(loc)
	f := &freeForm{
		tokens: scanFree(s),
		year:   int64(b.Year()), month: int64(b.Month()), day: int64(b.Day()),
		half: -1, local: true,
	}
	for f.kind() != endOfText {
		if !f.item() {
			return nil, false
		}
	}
	ok := f.times <= 1 && f.zones <= 1 && f.dates <= 1 && f.days <= 1 && f.aligned <= 1
	return f, ok
}

// kind returns the kind of the next token: the last token, endOfText, ends the loop of parseFree.
func (f *freeForm) kind() kind { return f.tokens[0].kind }

func (f *freeForm) take() int64 {
	v := f.tokens[0].value
	f.tokens = f.tokens[1:]
	return v
}

func (f *freeForm) accept(k kind) (int64, bool) {
	if f.kind() != k {
		return 0, false
	}
	return f.take(), true
}

func (f *freeForm) item() bool {
	switch k := f.kind(); k {
	case unsigned:
		return f.numberItem(f.take())
	case signed:
		n := f.take()
		return f.isUnit() && f.relative(n)
	case secondUnit, monthUnit, dayUnit:
		return f.relative(1)
	case monthName:
		f.dates++
		f.month = f.take()
		var ok bool
		if f.day, ok = f.accept(unsigned); !ok {
			return false
		}
		if _, ok := f.accept(','); ok {
			f.year, ok = f.accept(unsigned)
			return ok
		}
		return true
	case dayName:
		f.dayItem(1)
		f.accept(',')
		return true
	case zoneName:
		f.setZone(f.take())
		if _, ok := f.accept(summerTime); ok {
			f.west -= 60
		}
		return true
	case summerName:
		f.setZone(f.take() - 60)
		return true
	}
	return false
}

func (f *freeForm) numberItem(n int64) bool {
	switch f.kind() {
	case half:
		f.times++
		f.hour, f.minute, f.second, f.half = n, 0, 0, f.take()
		return true
	case ':':
		return f.clock(n)
	case '/':
		return f.slashDate(n)
	case signed: // a date like 2024-05-17, whose hyphens were read as signs
		f.dates++
		f.year, f.month = n, -f.take()
		day, ok := f.accept(signed)
		f.day = -day
		return ok
	case monthName:
		f.dates++
		f.day, f.month = n, f.take()
		if year, ok := f.accept(unsigned); ok {
			f.year = year
		} else if year, ok := f.accept(signed); ok {
			f.year = year
		}
		return true
	case dayName:
		f.dayItem(n)
		return true
	case secondUnit, monthUnit, dayUnit:
		return f.relative(n)
	}
	f.bare(n)
	return true
}

func (f *freeForm) clock(hour int64) bool {
	f.times++
	f.take()
	f.hour, f.second, f.half = hour, 0, -1
	var ok bool
	if f.minute, ok = f.accept(unsigned); !ok {
		return false
	}
	if _, more := f.accept(':'); more {
		if f.second, ok = f.accept(unsigned); !ok {
			return false
		}
	}
	if h, ok := f.accept(half); ok {
		f.half = h
	} else if east, ok := f.accept(signed); ok {
		f.west, f.local = -(east%100 + east/100*60), false
	}
	return true
}

func (f *freeForm) slashDate(first int64) bool {
	f.dates++
	f.take()
	second, ok := f.accept(unsigned)
	if !ok {
		return false
	}
	if _, more := f.accept('/'); !more {
		f.month, f.day = first, second
		return true
	}
	third, ok := f.accept(unsigned)
	if first >= 100 {
		f.year, f.month, f.day = first, second, third
	} else {
		f.month, f.day, f.year = first, second, third
	}
	return ok
}

func (f *freeForm) dayItem(ordinal int64) {
	f.days++
	f.ordinal, f.weekday = ordinal, f.take()
}

func (f *freeForm) setZone(west int64) {
	f.zones++
	f.west, f.local = west, false
}

func (f *freeForm) isUnit() bool {
	k := f.kind()
	return k == secondUnit || k == monthUnit || k == dayUnit
}

// relative reads the unit of a relative item, and an "ago", which negates all relative items so far.
func (f *freeForm) relative(n int64) bool {
	f.relatives++
	k := f.kind()
	unit := f.take()
	switch k {
	case monthUnit:
		f.shiftMonths += n * unit
	case dayUnit:
		f.aligned++
		unit *= daySeconds
		fallthrough
	default:
		if unit != 0 && abs(n) > maxShift/abs(unit) {
			return false
		}
		f.shift += n * unit
	}
	if _, ok := f.accept(agoWord); ok {
		f.ago = true
		f.shift, f.shiftMonths = -f.shift, -f.shiftMonths
	}
	return abs(f.shift) <= maxShift && abs(f.shiftMonths) <= maxMonths
}

const maxMonths = 12 * 200_000_000

// bare takes a number without a context: the year if date and time are known, a date, or a time of day.
func (f *freeForm) bare(n int64) {
	switch {
	case f.times > 0 && f.dates > 0 && f.relatives == 0:
		f.year = n
	case n > 10000:
		f.dates++
		f.year, f.month, f.day = n/10000, n/100%100, n%100
	case n < 100:
		f.times++
		f.hour, f.minute, f.second, f.half = n, 0, 0, -1
	default:
		f.times++
		f.hour, f.minute, f.second, f.half = n/100, n%100, 0, -1
	}
}

func abs(n int64) int64 { return max(n, -n) }
