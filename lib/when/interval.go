package when

import (
	"math"
	"strings"
	"time"

	"pmtools/internal/ctext"
)

// ParseInterval reads an interval such as "10sec", "1h30m" or "2.5": numbers, each with an optional
// unit (seconds if there is none), whose values add up. The day is the largest
// unit, and "ms" is minutes.
//
// An interval that overflows a Duration becomes the longest Duration. An error is a *[SyntaxError].
func ParseInterval(s string) (time.Duration, error) {
	total, err := parseSeconds(s)
	if err != nil {
		return 0, err
	}
	return toDuration(total), nil
}

func parseSeconds(s string) (float64, *SyntaxError) {
	if s == "" {
		return 0, &SyntaxError{Reason: reasonEmpty}
	}
	total := 0.0
	for pos := skipSpace(s, 0); pos < len(s); pos = skipSpace(s, pos) {
		value, n, _ := ctext.Float(s[pos:])
		// The comparison is written so that a NaN fails it.
		if n == 0 || !(value >= 0 && value <= math.MaxInt64) {
			return 0, unexpected(s, pos)
		}
		pos = skipSpace(s, pos+n)
		start := pos
		for pos < len(s) && ctext.IsLetter(s[pos]) {
			pos++
		}
		if pos > start {
			unit := unitSeconds(s[start:pos])
			if unit == 0 {
				return 0, unexpected(s, start)
			}
			if unit < 0 {
				value /= -unit
			} else {
				value *= unit
			}
		}
		total += value
	}
	return total, nil
}

// unitSeconds returns the length of a unit in seconds, the negated number of units per second for short
// ones, 0 for an unknown one. It drops one plural s: "ms" is a minute.
func unitSeconds(word string) float64 {
	word = strings.ToLower(word)
	if len(word) > 1 {
		word = strings.TrimSuffix(word, "s")
	}
	switch word {
	case "nanosecond", "nsec":
		return -1e9
	case "microsecond", "usec":
		return -1e6
	case "millisecond", "msec":
		return -1e3
	case "second", "sec", "s":
		return 1
	case "minute", "min", "m":
		return 60
	case "hour", "hr", "h":
		return 3600
	case "day", "d":
		return 86400
	}
	return 0
}

// toDuration rounds seconds to nanoseconds, or to microseconds from a million seconds on, half up.
func toDuration(seconds float64) time.Duration {
	whole, frac := math.Modf(seconds)
	if whole >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	d := time.Duration(whole) * time.Second
	if whole <= 999999 {
		return d + time.Duration(frac*1e9+0.5)
	}
	return d + time.Duration(frac*1e6+0.5)*time.Microsecond
}
