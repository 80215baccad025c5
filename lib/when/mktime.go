package when

import "time"

// A clock finds the instants at which the clocks of a zone show a time, as mktime of glibc does for the
// reference. The first guess is the offset from UTC of the time before, at first 0: so one that is shown
// twice is the second one east of Greenwich and the first one west of it, or the one with the offset of the
// time before.
type clock struct {
	zone *time.Location
	east int64 // seconds east of UTC at the last time

	printed bool // of Base
}

// maxGuesses bounds the guesses for one time.
const maxGuesses = 6

// instant returns the time whose fields, which may be out of range, the clock shows. One that it skips moves
// by the skipped span, back or forward by the guesses that led there.
func (c *clock) instant(f [numFields]int) time.Time {
	second := min(f[fieldSecond], 59) // a leap second moves the instant that was found
	shown := time.Date(f[0], time.Month(f[1]), f[2], f[3], f[4], second, 0, time.UTC).Unix()
	t := shown - c.east
	before, last, summer := t, t, false // the two guesses before t, and whether the last was in summer time
	for range maxGuesses {
		at := time.Unix(t, 0).In(c.zone)
		_, east := at.Zone()
		next := shown - int64(east)
		if next == t || t == before && t != last && (at.IsDST() || !summer) {
			break
		}
		before, last, summer, t = last, t, at.IsDST(), next
	}
	c.east = shown - t
	return time.Unix(t+int64(f[fieldSecond]-second), 0)
}
