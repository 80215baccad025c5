package when

import "time"

// A clock converts local times of a zone to instants, as glibc's mktime does for the reference. It first
// tries the UTC offset of its previous result, initially 0. So of a local time that occurs twice it finds
// the instant with the previous offset, initially the second one east of Greenwich and the first one west
// of it.
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
