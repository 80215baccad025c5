package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Baseline is how long before a time another time lies: days by the calendar, and hours.
type Baseline struct {
	months, days int64
	exact        time.Duration
	weekday      int64 // of that day, plus 1; 0 for any
}

// maxBack bounds the numbers of a Baseline, in days or months.
const maxBack = 100 * 366

// ParseBaseline parses the distance from a time back to an earlier one: "yesterday same time",
// "last week", "1 day", "2 hours before", "monday", "36h". Days are days of the calendar: the time of
// day stays the same when clocks change.
func ParseBaseline(text string) (Baseline, error) {
	var b Baseline
	words := baselineWords(strings.ToLower(text))
	given := false
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		n := int64(1)
		switch word {
		case "same", "time", "at", "the", "before", "earlier", "ago", "previous", "last", "a", "an", "one", "on", "-", "+":
			continue
		case "yesterday":
			b.days++
			given = true
			continue
		}
		if v, err := strconv.ParseInt(word, 10, 64); err == nil && v >= 0 && v <= maxBack && len(words) > 0 {
			n, word, words = v, words[0], words[1:]
		}
		if !b.add(n, word) || b.months > maxBack || b.days > maxBack || b.exact > maxBack*24*time.Hour {
			return Baseline{}, fmt.Errorf("%q is not a time before: write 'yesterday same time', 'last week', '2 hours before' or 'monday'", text)
		}
		given = true
	}
	if !given || b == (Baseline{}) {
		return Baseline{}, fmt.Errorf("%q names no time before: write 'yesterday same time', 'last week', '2 hours before' or 'monday'", text)
	}
	return b, nil
}

// baselineWords splits a text into words and numbers.
func baselineWords(text string) (words []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r) || r == ',':
			return 0
		case r >= '0' && r <= '9':
			return 1
		case unicode.IsLetter(r):
			return 2
		}
		return 3
	}
	last := 0
	for _, r := range text {
		k := kind(r)
		if k != 0 && k == last {
			words[len(words)-1] += string(r)
		} else if k != 0 {
			words = append(words, string(r))
		}
		last = k
	}
	return words
}

// add adds n of a unit, or a day of the week.
func (b *Baseline) add(n int64, unit string) bool {
	long := func(name string) bool { return unit == name || unit == name+"s" }
	switch {
	case unit == "s" || long("sec") || long("second"):
		b.exact += time.Duration(n) * time.Second
	case unit == "m" || long("min") || long("minute"):
		b.exact += time.Duration(n) * time.Minute
	case unit == "h" || long("hr") || long("hour"):
		b.exact += time.Duration(n) * time.Hour
	case unit == "d" || long("day"):
		b.days += n
	case unit == "w" || long("week"):
		b.days += 7 * n
	case long("month"):
		b.months += n
	case long("year"):
		b.months += 12 * n
	default:
		for day := time.Sunday; day <= time.Saturday; day++ {
			if name := strings.ToLower(day.String()); n == 1 && b.weekday == 0 && (unit == name || unit == name[:3]) {
				b.weekday = int64(day) + 1
				return true
			}
		}
		return false
	}
	return true
}

// Of returns the time that lies so long before a time on the clock of a zone.
func (b Baseline) Of(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	days := b.days
	if b.weekday > 0 {
		back := (int64(t.Weekday()) - (b.weekday - 1) + 7) % 7
		if back == 0 {
			back = 7
		}
		days += back
	}
	return t.AddDate(0, -int(b.months), -int(days)).Add(-b.exact)
}
