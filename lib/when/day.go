package when

import (
	"strings"
	"time"
)

// Within reads a time of the day, such as "14:32" or "2pm", as one between b.Start and b.End: on the
// day of b.Now, or else on the next day or the one before. It returns false if text is not a time of
// the day, or b does not have it.
func (b Base) Within(text string) (time.Time, bool) {
	if b.Zone == nil {
		b.Zone = time.UTC
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "@")
	_, interval := parseSeconds(text)
	f, ok := parseFree(text, b.Now, b.Zone)
	if interval == nil || !ok || f.times != 1 || f.zones+f.dates+f.days+f.relatives+f.aligned > 0 {
		return time.Time{}, false
	}
	at, ok := f.eval(b.Now, b.Zone)
	if !ok {
		return time.Time{}, false
	}
	for _, days := range []int{0, 1, -1} {
		if t := at.AddDate(0, 0, days); !t.Before(b.Start) && !t.After(b.End) {
			return t, true
		}
	}
	return time.Time{}, false
}

// Text returns a text that ParseTime reads as t, in whole seconds: a time of the day if b.Start makes
// that the right one, else a date with a time.
func (b Base) Text(t time.Time) string {
	if b.Zone == nil {
		b.Zone = time.UTC
	}
	clock := "15:04:05"
	if t.Second() == 0 {
		clock = "15:04"
	}
	t = t.In(b.Zone)
	if short := "@" + t.Format(clock); t.Sub(b.Start) < 24*time.Hour {
		if again, err := ParseTime(short, b); err == nil && again.Equal(t.Truncate(time.Second)) {
			return short
		}
	}
	return "@" + t.Format(time.DateOnly+" "+clock)
}
