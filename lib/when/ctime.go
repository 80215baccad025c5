package when

import (
	"math"
	"strconv"
	"strings"
	"time"

	"pmtools/internal/ctext"
)

// The fields of a date after @, most significant first. They index partialDate.field.
const (
	fieldYear = iota
	fieldMonth
	fieldDay
	fieldHour
	fieldMinute
	fieldSecond
	numFields
)

// A partialDate is a date with fields missing (commands.md T2.3).
type partialDate struct {
	field [numFields]int // -1 if not given; months count from 1
	nanos int
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

const weekdays = "sunmontuewedthufrisat"

// parsePartial reads the text after @: weekday, month, day, hour, minute, second, am or pm, year, each of
// them optional.
func parsePartial(s string) (*partialDate, *SyntaxError) {
	p := &partialDate{field: [numFields]int{-1, -1, -1, -1, -1, -1}}
	pos := skipSpace(s, 0)
	weekday, pos := scanAbbrev(s, pos, weekdays)
	month, pos := scanAbbrev(s, pos, months)
	p.field[fieldMonth] = month
	pos = p.scanDayAndHour(s, pos)
	pos = p.scanTime(s, pos)
	pos, err := p.scanHalf(s, pos)
	if err != nil {
		return nil, err
	}
	p.field[fieldYear], pos = scanInt(s, pos, 1900, 9999)
	if pos < len(s) {
		return nil, unexpected(s, pos)
	}
	if (weekday > 0 && month < 0 && p.field[fieldDay] < 0) || p.onlyHour() {
		return nil, &SyntaxError{Text: s, Reason: reasonMore, before: s}
	}
	p.complete()
	return p, nil
}

// scanAbbrev reads three letters of a name in list and the blanks after them. It returns the name's number
// from 1, or -1 and pos.
func scanAbbrev(s string, pos int, list string) (int, int) {
	if len(s)-pos < 3 {
		return -1, pos
	}
	word := strings.ToLower(s[pos : pos+3])
	for i := 0; i < len(list); i += 3 {
		if list[i:i+3] == word {
			return i/3 + 1, skipSpace(s, pos+3)
		}
	}
	return -1, pos
}

// scanInt reads a number within bounds and the blanks after it, or returns -1 and pos.
func scanInt(s string, pos, low, high int) (int, int) {
	end := pos
	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		end++
	}
	for end < len(s) && ctext.IsDigit(s[end]) {
		end++
	}
	n, err := strconv.Atoi(s[pos:end])
	if err != nil || n < low || n > high {
		return -1, pos
	}
	return n, skipSpace(s, end)
}

// scanDayAndHour reads the one or two numbers before the colon. A single number is the hour if it is small
// enough, and no month precedes or a colon follows it.
func (p *partialDate) scanDayAndHour(s string, pos int) int {
	day, pos := scanInt(s, pos, 0, 31)
	hour, pos := scanInt(s, pos, 0, 23)
	colon := pos < len(s) && s[pos] == ':'
	if hour < 0 && day >= 0 && day <= 23 && (p.field[fieldMonth] < 0 || colon) {
		day, hour = -1, day
	}
	if day == 0 && hour >= 0 {
		day = -1
	}
	p.field[fieldDay], p.field[fieldHour] = day, hour
	return pos
}

func (p *partialDate) scanTime(s string, pos int) int {
	if pos >= len(s) || s[pos] != ':' {
		return pos
	}
	p.field[fieldHour] = max(p.field[fieldHour], 0)
	minute, pos := scanInt(s, skipSpace(s, pos+1), 0, 59)
	p.field[fieldMinute] = max(minute, 0)
	if pos >= len(s) || s[pos] != ':' {
		return pos
	}
	pos = skipSpace(s, pos+1)
	p.field[fieldSecond] = 0
	seconds, n, _ := ctext.Float(s[pos:])
	if n == 0 || !(seconds >= 0 && seconds <= 61) {
		return pos
	}
	p.field[fieldSecond] = int(seconds)
	p.nanos = fraction(s[pos:pos+n], seconds)
	return skipSpace(s, pos+n)
}

// fraction returns the nanoseconds below one second. It reads plain decimals from the text, so that ".1" is
// not cut to 99999999.
func fraction(text string, seconds float64) int {
	if strings.Trim(text, "+0123456789.") != "" {
		_, frac := math.Modf(seconds)
		return int(frac * 1e9)
	}
	_, digits, _ := strings.Cut(text, ".")
	digits = (digits + "000000000")[:9]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func (p *partialDate) scanHalf(s string, pos int) (int, *SyntaxError) {
	if len(s)-pos < 2 || s[pos+1]|0x20 != 'm' || len(s) > pos+2 && ctext.IsLetter(s[pos+2]) {
		return pos, nil
	}
	half := s[pos] | 0x20
	if half != 'a' && half != 'p' {
		return pos, nil
	}
	hour := p.field[fieldHour]
	if hour < 0 || hour > 12 {
		return pos, unexpected(s, pos)
	}
	hour %= 12
	if half == 'p' {
		hour += 12
	}
	p.field[fieldHour] = hour
	return skipSpace(s, pos+2), nil
}

func (p *partialDate) onlyHour() bool {
	f := &p.field
	return f[fieldHour] >= 0 && f[fieldYear] < 0 && f[fieldMonth] < 0 && f[fieldDay] < 0 && f[fieldMinute] < 0
}

// complete gives the fields below the most significant one their first value.
func (p *partialDate) complete() {
	first := [numFields]int{fieldMonth: 1, fieldDay: 1}
	given := false
	for i := range p.field {
		if p.field[i] >= 0 {
			given = true
		} else if given {
			p.field[i] = first[i]
		}
	}
}

// resolve returns the instant of p in the clock's zone. Missing fields come from origin; if the first given
// field is smaller than origin's, the field above it moves on by one.
func (p *partialDate) resolve(origin time.Time, c *clock) time.Time {
	top := 0
	for top < numFields && p.field[top] < 0 {
		top++
	}
	if top == numFields {
		return origin
	}
	o := origin.In(c.zone)
	f := [numFields]int{o.Year(), int(o.Month()), o.Day(), o.Hour(), o.Minute(), o.Second()}
	if top > fieldYear && p.field[top] < f[top] {
		f[top-1]++
	}
	copy(f[top:], p.field[top:])
	return c.instant(f).Add(time.Duration(p.nanos)).In(c.zone)
}
