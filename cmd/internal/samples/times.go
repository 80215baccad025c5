package samples

import (
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A timeForm writes times for people, all in one layout: with as much of the second as the samples need.
type timeForm struct {
	h     *sampling.Header
	clock bool // without the day
	parts bool // a time had a part of a second

	minute int64  // since the epoch, of the time before
	prefix []byte // of the text of that time, up to its seconds; empty if the minute does not begin with one of the clock
}

// text returns a time.
func (f *timeForm) text(t pcp.Timestamp) string { return string(f.append(nil, t)) }

// append appends a time. Those of records have milliseconds from the first on that has some.
func (f *timeForm) append(dst []byte, t pcp.Timestamp) []byte {
	switch h := f.h; {
	case h.Live:
		f.parts = h.Interval%time.Second != 0
	case h.Interval > 0 && h.Samples != 1:
		f.parts = h.Interval%time.Second != 0 || h.Start.Nsec != 0
	default:
		f.parts = f.parts || t.Nsec != 0
	}
	second := t.Sec % 60
	if len(f.prefix) > 0 && t.Sec-second == f.minute*60 && !f.parts {
		return append(append(dst, f.prefix...), '0'+byte(second/10), '0'+byte(second%10))
	}
	layout := time.DateTime
	if f.clock {
		layout = time.TimeOnly
	}
	if f.parts {
		layout += ".000"
	}
	at := t.Time().In(f.h.Location())
	start := len(dst)
	dst = at.AppendFormat(dst, layout)
	if f.prefix = f.prefix[:0]; !f.parts && t.Sec >= 0 && int64(at.Second()) == second {
		f.minute, f.prefix = t.Sec/60, append(f.prefix, dst[start:len(dst)-2]...)
	}
	return dst
}

// zone returns the zone of a time in a recording, after a blank. Live times are those of the reader's clock, or of the
// zone that was asked for.
func (f *timeForm) zone(t pcp.Timestamp) string {
	if f.h.Live || f.h.Source.Kind == "hosts" { // these may be asked once
		return ""
	}
	return " " + format.Zone(t.Time().In(f.h.Location()))
}

// averageTime stands in the place of the time of averages.
const averageTime = "Average:"

// zoned returns the time of a sample as the options want it, with the zone if it is in the usual form.
func (o *Options) zoned(f *timeForm, s *sampling.Sample) string {
	stamp := o.stamp(f, s)
	if s.Average || o.Timestamp != "" {
		return stamp
	}
	return stamp + f.zone(s.Time)
}

// stamp returns the time of a sample as the options want it.
func (o *Options) stamp(f *timeForm, s *sampling.Sample) string {
	switch {
	case s.Average:
		return averageTime
	case o.Timestamp != "":
		return string(o.appendTime(nil, f.h, s.Time))
	}
	return f.text(s.Time)
}
