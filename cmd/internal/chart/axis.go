package chart

import (
	"math"
	"strconv"
	"time"
)

// A Range is what an axis covers. It is used in parts, from 0 to 1, so that numbers of any size can be drawn.
type Range struct{ Low, High float64 }

// NewRange returns the range of no numbers.
func NewRange() Range { return Range{math.Inf(1), math.Inf(-1)} }

// rangeOf returns the range of the points of lines.
func rangeOf(lines ...*Line) Range {
	r := NewRange()
	for _, l := range lines {
		for _, f := range l.Points {
			r.Note(f)
		}
	}
	return r
}

// Note widens the range to a number, unless it is NaN.
func (r *Range) Note(f float64) {
	if !math.IsNaN(f) {
		r.Low, r.High = min(r.Low, f), max(r.High, f)
	}
}

// wide reports whether the range is larger than the rounding of its numbers. The halves keep the difference finite.
func (r *Range) wide() bool { return r.High/2-r.Low/2 > 1e-12*max(-r.Low, r.High) }

// Part returns where f is in the range, NaN for NaN.
func (r *Range) Part(f float64) float64 {
	if r.wide() || math.IsNaN(f) {
		return (f/2 - r.Low/2) / (r.High/2 - r.Low/2)
	}
	return 0
}

// Bounds of numbers on an axis without an exponent.
const (
	mostPlaces = 6
	mostFixed  = 1e12
)

// marks returns about steps round numbers that enclose the range, with at most one more at each end, and the function
// that formats them.
func (r *Range) marks(steps int) (list []float64, label func(float64) string) {
	low, high := r.Low, r.High
	if !r.wide() {
		if pad := math.Abs(low) / 10; pad > 0 {
			low, high = max(low-pad, -math.MaxFloat64), min(high+pad, math.MaxFloat64)
		} else {
			low, high = 0, 1
		}
	}
	const rounding = 1e-9 // of a step
	step := roundStep(high/float64(steps) - low/float64(steps))
	for n := math.Floor(low/step + rounding); len(list) == 0 || list[len(list)-1] < high-rounding*step; n++ {
		list = append(list, max(-math.MaxFloat64, min(n*step, math.MaxFloat64)))
	}
	most := max(-list[0], list[len(list)-1])
	verb, digits := byte('f'), max(0, int(-math.Floor(math.Log10(step)+rounding)))
	if digits > mostPlaces || most >= mostFixed {
		verb, digits = 'g', 1+int(math.Ceil(math.Log10(most/step)+rounding))
	}
	return list, func(f float64) string { return strconv.FormatFloat(f+0, verb, digits, 64) } // no -0
}

// roundStep returns the least of the numbers 1, 2 and 5 times a power of ten that is not less.
func roundStep(least float64) float64 {
	least = max(1e-300, min(least, 1e308)) // beyond there is rounding, or no end
	power := math.Pow10(int(math.Floor(math.Log10(least))))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= least*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// day and month are as long as steps of days and months count.
const (
	day   = 24 * time.Hour
	month = 30 * day
)

// timeSteps are the distances of marks on the axis of time.
var timeSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 7 * day, 14 * day, month, 3 * month, 6 * month, 12 * month, 24 * month, 60 * month, 120 * month,
}

// TimeTicks returns the marks on the axis of time, at full seconds, hours, days and so on of the chart's zone, as many as
// have room for their labels on an axis of room characters. A single time has a mark.
func (c *Chart) TimeTicks(room int) (list []Tick) {
	const gap = 5 // between labels
	first, last := c.Times[0], c.Times[len(c.Times)-1]
	if first.Equal(last) {
		return []Tick{{0, first.Format(time.TimeOnly)}}
	}
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if most := max(1, room/(len(first.Format(layoutOf(first, s)))+gap)); last.Sub(first) <= time.Duration(most)*s {
			step = s
			break
		}
	}
	for n := 0; ; n++ {
		at := markAt(first, step, n)
		if at.After(last) {
			return list
		}
		if x := c.x(at); x >= 0 && (len(list) == 0 || x > list[len(list)-1].At) {
			list = append(list, Tick{x, at.Format(layoutOf(at, step))})
		}
	}
}

// markAt returns the time n steps after the last full one that is not after first, by the clock and the calendar of its
// zone, where hours may be left out or repeated.
func markAt(first time.Time, step time.Duration, n int) time.Time {
	y, m, d := first.Date()
	switch {
	case step >= 12*month:
		return time.Date(y-y%int(step/(12*month))+n*int(step/(12*month)), 1, 1, 0, 0, 0, 0, first.Location())
	case step >= month:
		each := int(step / month)
		return time.Date(y, m-(m-1)%time.Month(each)+time.Month(n*each), 1, 0, 0, 0, 0, first.Location())
	case step >= day:
		return time.Date(y, m, d+n*int(step/day), 0, 0, 0, 0, first.Location())
	}
	clock := time.Duration(first.Hour())*time.Hour + time.Duration(first.Minute())*time.Minute +
		time.Duration(first.Second())*time.Second + time.Duration(first.Nanosecond())
	clock = clock.Truncate(step) + time.Duration(n)*step
	return time.Date(y, m, d, 0, 0, int(clock/time.Second), int(clock%time.Second), first.Location())
}

// layoutOf returns how the time of a mark is written.
func layoutOf(at time.Time, step time.Duration) string {
	switch h, m, s := at.Clock(); {
	case step >= 12*month:
		return "2006"
	case step >= month:
		return "Jan 2006"
	case step >= day, step >= time.Second && h+m+s == 0:
		return "Jan _2"
	case step >= time.Minute:
		return "15:04"
	case step >= time.Second:
		return time.TimeOnly
	}
	return "15:04:05.000"
}
