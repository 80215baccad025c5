package when

import (
	"strconv"
	"strings"
	"time"
)

// maxEpoch is the last second that four digits of a year can show.
const maxEpoch = 253402300799

// parsePrinted reads a time as programs print it: a date and a time with an offset from UTC or Z, with a
// fraction that the clock of the zone shows, or the seconds since 1970 after an @, of 9 digits or more.
func parsePrinted(s string, c *clock) (time.Time, bool) {
	s, at := strings.CutPrefix(strings.TrimSpace(s), "@")
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	part, err := time.ParseDuration("0." + fraction + "s")
	if len(fraction) > 9 || strings.Trim(fraction, "0123456789") != "" || err != nil {
		return time.Time{}, false
	}
	if n, err := strconv.ParseUint(whole, 10, 63); at && err == nil && len(whole) >= 9 && n <= maxEpoch {
		return time.Unix(int64(n), int64(part)), true
	}
	t, err := time.Parse(time.DateTime, strings.Replace(whole, "T", " ", 1))
	if err != nil || fraction == "" {
		return time.Time{}, false
	}
	shown := [numFields]int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second()}
	return c.instant(shown).Add(part), true
}

// Millis reports whether the unit of an interval is "ms", which means minutes and looks like milliseconds.
func Millis(interval string) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(interval)), "ms")
}
