package when

import "time"

// eval returns the instant of f, counted from base in loc; false if a field is out of range.
func (f *freeForm) eval(base time.Time, loc *time.Location) (time.Time, bool) {
	start := time.Unix(base.Unix(), 0).In(loc)
	fixed := f.dates > 0 || f.times > 0 || f.days > 0 || f.aligned > 0
	if fixed || f.relatives == 0 {
		clock, ok := f.timeOfDay()
		if !ok || !f.checkDate() {
			return time.Time{}, false
		}
		u := time.Date(int(f.year), time.Month(f.month), int(f.day), 0, 0, int(clock), 0, time.UTC)
		if f.local || !fixed {
			start = standard(u, loc)
		} else {
			start = u.Add(time.Duration(f.west) * time.Minute).In(loc)
		}
	}
	start = addSeconds(start, f.shift)
	start = addMonths(start, f.shiftMonths, loc)
	if f.days > 0 && f.dates == 0 {
		start = f.moveToWeekday(start)
	}
	return start, true
}

func (f *freeForm) timeOfDay() (int64, bool) {
	if f.times == 0 {
		return 0, true
	}
	if f.minute < 0 || f.minute > 59 || f.second < 0 || f.second > 59 {
		return 0, false
	}
	hour := f.hour
	if f.half < 0 {
		return hour*3600 + f.minute*60 + f.second, hour >= 0 && hour <= 23
	}
	if hour < 1 || hour > 12 {
		return 0, false
	}
	return (hour%12+f.half)*3600 + f.minute*60 + f.second, true
}

const maxYear = 99_999_999

// checkDate expands a year of two digits and reports whether the date exists.
func (f *freeForm) checkDate() bool {
	f.year = abs(f.year)
	switch {
	case f.year < 69:
		f.year += 2000
	case f.year < 100:
		f.year += 1900
	}
	if f.year < 1970 || f.year > maxYear || f.month < 1 || f.month > 12 {
		return false
	}
	return f.day >= 1 && f.day <= daysIn(f.year, f.month)
}

func daysIn(year, month int64) int64 {
	return int64(time.Date(int(year), time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day())
}

// standard returns the instant of u's fields in loc: the later one of two, in standard time. A skipped time
// moves back.
func standard(u time.Time, loc *time.Location) time.Time {
	after := u.Add(-seconds(offsetAt(u.Add(24*time.Hour), loc)))
	before := u.Add(-seconds(offsetAt(u.Add(-24*time.Hour), loc)))
	if before.After(after) {
		after = before
	}
	return u.Add(-seconds(offsetAt(after, loc))).In(loc)
}

// addSeconds adds n seconds, which a Duration might not hold.
func addSeconds(t time.Time, n int64) time.Time {
	return time.Unix(t.Unix()+n, int64(t.Nanosecond())).In(t.Location())
}

// addMonths moves t by months. It keeps the time of day, and the day of the month if the month is long enough.
func addMonths(t time.Time, n int64, loc *time.Location) time.Time {
	if n == 0 {
		return t
	}
	total := int64(t.Year())*12 + int64(t.Month()) - 1 + n
	year, month := floorDiv(total, 12), total-floorDiv(total, 12)*12+1
	day := min(int64(t.Day()), daysIn(year, month))
	u := time.Date(int(year), time.Month(month), int(day), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return keepClock(t, standard(u, loc))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// moveToWeekday moves t to the next day that is f's weekday, or today, and then by weeks: 0 for the ordinal
// 1, one back for -1.
func (f *freeForm) moveToWeekday(t time.Time) time.Time {
	days := (f.weekday - int64(t.Weekday()) + 7) % 7
	weeks := f.ordinal
	if weeks > 0 {
		weeks--
	}
	weeks = max(min(weeks, maxShift/daySeconds/7), -maxShift/daySeconds/7)
	return keepClock(t, addSeconds(t, (days+7*weeks)*daySeconds))
}

// keepClock moves t by less than half a day to the time of day of from.
func keepClock(from, t time.Time) time.Time {
	diff := secondOfDay(from) - secondOfDay(t)
	switch {
	case diff > daySeconds/2:
		diff -= daySeconds
	case diff < -daySeconds/2:
		diff += daySeconds
	}
	return t.Add(seconds(diff))
}

func secondOfDay(t time.Time) int {
	return t.Hour()*3600 + t.Minute()*60 + t.Second()
}

// offsetAt returns the seconds east of UTC in force at t.
func offsetAt(t time.Time, loc *time.Location) int {
	_, offset := t.In(loc).Zone()
	return offset
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
