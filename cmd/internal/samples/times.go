package samples

import (
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A timeForm writes times for people, all in one layout: with as much of the second as the samples need.
type timeForm struct {
	h     *sampling.Header
	clock bool // without the day
	parts bool // a time had a part of a second
}

// text returns a time. Those of records have milliseconds from the first on that has some.
func (f *timeForm) text(t pcp.Timestamp) string {
	switch h := f.h; {
	case h.Live:
		f.parts = h.Interval%time.Second != 0
	case h.Interval > 0 && h.Samples != 1:
		f.parts = h.Interval%time.Second != 0 || h.Start.Nsec != 0
	default:
		f.parts = f.parts || t.Nsec != 0
	}
	layout := time.DateTime
	if f.clock {
		layout = time.TimeOnly
	}
	if f.parts {
		layout += ".000"
	}
	return t.Time().In(f.h.Location()).Format(layout)
}
