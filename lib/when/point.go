package when

import (
	"strings"
	"time"
)

// ParseTime reads one time specification: an interval after b.Start ("10min",
// "+10min") or before b.End ("-10min"), a date after an @, or a free-form date. The result is not
// limited to the bounds of b. An error is a *[SyntaxError].
func ParseTime(s string, b Base) (time.Time, error) {
	if b.Zone == nil {
		b.Zone = time.UTC
	}
	t, err := parseTime(s, b.Start, b.End, b.Now, &clock{zone: b.Zone, printed: b.Printed})
	if err != nil {
		return time.Time{}, err
	}
	return t, nil
}

// parseTime reads a time specification between low and high; high may be zero.
func parseTime(s string, low, high, now time.Time, c *clock) (time.Time, *SyntaxError) {
	if c.printed {
		if t, ok := parsePrinted(s, c); ok {
			return t, nil
		}
	}
	rest := s[skipSpace(s, 0):]
	var failed *SyntaxError
	fromEnd := false
	switch {
	case strings.HasPrefix(rest, "@"):
		rest = rest[1:]
		date, err := parsePartial(rest)
		if err == nil {
			return date.resolve(low, c), nil
		}
		failed = err
	case strings.HasPrefix(rest, "-") && !high.IsZero():
		rest = rest[1:]
		total, err := parseSeconds(rest)
		if err == nil {
			return high.Add(-toDuration(total)), nil
		}
		failed, fromEnd = err, true
	default:
		rest = strings.TrimPrefix(rest, "+")
		total, err := parseSeconds(rest)
		if err == nil {
			return low.Add(toDuration(total)), nil
		}
		failed = err
	}
	free := strings.TrimPrefix(rest[skipSpace(rest, 0):], "@")
	if t, ok := parseFreeForm(free, low, high, now, fromEnd, c.zone); ok {
		return t, nil
	}
	return time.Time{}, failed
}

// parseFreeForm reads a free-form date. fromEnd means that a minus sign, which counts back from the end,
// was removed from the text: it is restored for units that intervals lack, as in "-1 week".
func parseFreeForm(s string, low, high, now time.Time, fromEnd bool, zone *time.Location) (time.Time, bool) {
	base := freeBase(s, low, high, now)
	f, ok := parseFree(s, base, zone)
	if !ok {
		return time.Time{}, false
	}
	if fromEnd && f.isPlainShift() {
		base = high
		f.shift, f.shiftMonths = -f.shift, -f.shiftMonths
	}
	return f.eval(base, zone)
}

// freeBase returns the origin of a free-form date: the window for dates with a unit after a blank, now for
// others.
func freeBase(s string, low, high, now time.Time) time.Time {
	lower := strings.ToLower(s)
	inWindow := false
	for _, unit := range []string{"year", "month", "fortnight", "week", "day", "hour", "min", "sec"} {
		inWindow = inWindow || strings.Contains(lower, " "+unit)
	}
	back := strings.HasPrefix(s[skipSpace(s, 0):], "-") || strings.Contains(lower, "last") || strings.Contains(lower, "ago")
	switch {
	case !inWindow:
		return now
	case back && !high.IsZero():
		return high
	}
	return low
}

func (f *freeForm) isPlainShift() bool {
	fixed := f.times + f.zones + f.dates + f.days + f.aligned
	forward := f.shift >= 0 && f.shiftMonths >= 0 && f.shift+f.shiftMonths > 0
	return fixed == 0 && forward && !f.ago
}
