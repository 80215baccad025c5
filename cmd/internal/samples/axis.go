package samples

import (
	"math"
	"strconv"
)

// A valueRange is what the vertical axis of a chart covers, or a sparkline. They are drawn of the parts of it,
// from 0 to 1, so that numbers of any size can be drawn.
type valueRange struct {
	low, high float64
	verb      byte // how the numbers of the axis are written
	digits    int
}

// rangeOf returns the range of the points of lines.
func rangeOf(lines []*Line) *valueRange {
	r := &valueRange{low: math.Inf(1), high: math.Inf(-1), verb: 'f', digits: 2}
	for _, l := range lines {
		for _, f := range l.Points {
			r.note(f)
		}
	}
	if step := r.high/chartHeight - r.low/chartHeight; step > 0 {
		r.digits = max(0, int(math.Ceil(-math.Log10(step)))+1)
	}
	switch most := max(math.Abs(r.low), math.Abs(r.high)); {
	case most >= 1e12 || r.digits > 6:
		r.verb, r.digits = 'e', 3
	case most >= 100 && r.digits <= 2:
		r.digits = 0
	}
	return r
}

// note widens the range to a number.
func (r *valueRange) note(f float64) {
	if !math.IsNaN(f) {
		r.low, r.high = min(r.low, f), max(r.high, f)
	}
}

// part returns where f is in the range. The halves keep the difference finite. A range that is as small as the
// rounding of its numbers is none.
func (r *valueRange) part(f float64) float64 {
	if span := r.high/2 - r.low/2; span > 1e-12*max(-r.low, r.high) || math.IsNaN(f) {
		return (f/2 - r.low/2) / span
	}
	return 0
}

// label returns the number at a part of the range.
func (r *valueRange) label(part float64) string {
	return strconv.FormatFloat(r.low*(1-part)+r.high*part, r.verb, r.digits, 64)
}

// margin returns how many characters the vertical axis takes.
func (r *valueRange) margin() int { return max(len(r.label(0)), len(r.label(1))) + 3 }

// clock returns the layout of the times on the axis.
func (c *chartWriter) clock() string {
	switch span := c.times[len(c.times)-1].Sub(c.times[0]); {
	case span >= 2*24*3600:
		return "Jan _2 15:04"
	case span < 10:
		return "15:04:05.000"
	}
	return "15:04:05"
}
