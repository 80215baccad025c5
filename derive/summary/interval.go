package summary

import (
	"math"
	"time"

	"pmtools/lib/pcp"
)

// Options say what there are summaries of besides that of each metric.
type Options struct {
	Instances bool // each instance
	// Every is the length of the intervals that have a summary of their own each; 0 for a single
	// summary. They begin at multiples of it on the clock of Zone, counted from the midnight of
	// 1970-01-01, and where the clock is changed to another multiple.
	Every time.Duration
	Zone  *time.Location // nil means UTC
}

// A span is an interval, from one time until before another.
type span struct{ from, to time.Time }

// has reports whether a time lies in the interval.
func (s *span) has(t time.Time) bool { return !t.Before(s.from) && t.Before(s.to) }

// interval returns the interval in which a time lies.
func (o *Options) interval(t time.Time) span {
	s := span{from: o.begin(t)}
	for {
		cell, off := o.cell(t)
		s.to = o.edge(cell+1, off)
		_, change := o.local(t).ZoneBounds()
		if change.IsZero() || change.After(s.to) {
			return s
		}
		if !o.begin(change).Before(change) {
			s.to = change
			return s
		}
		t = change // the interval goes on, with the other offset
	}
}

// begin returns where the interval of a time begins.
func (o *Options) begin(t time.Time) time.Time {
	cell, off := o.cell(t)
	from := o.edge(cell, off)
	change, _ := o.local(t).ZoneBounds()
	if change.IsZero() || !from.Before(change) {
		return from
	}
	if before, _ := o.cell(change.Add(-1)); before == cell {
		return o.begin(change.Add(-1))
	}
	return change
}

// cell returns the number of the interval in which the clock is at a time, and how far the clock is
// ahead of UTC.
func (o *Options) cell(t time.Time) (n int64, off time.Duration) {
	_, seconds := o.local(t).Zone()
	off = time.Duration(seconds) * time.Second
	ns := t.Add(off).UnixNano()
	if n = ns / int64(o.Every); ns%int64(o.Every) < 0 {
		n--
	}
	return n, off
}

// edge returns where an interval of a number begins for a clock that is ahead of UTC.
func (o *Options) edge(n int64, off time.Duration) time.Time {
	return time.Unix(0, n*int64(o.Every)).Add(-off)
}

// local returns a time on the clock of the intervals.
func (o *Options) local(t time.Time) time.Time {
	if o.Zone == nil {
		return t.UTC()
	}
	return t.In(o.Zone)
}

// A part is the summary of a metric in one interval.
type part struct {
	span
	all       *Series
	instances []instance // those with samples, in the order in which they came
}

type instance struct {
	id int32
	*Series
}

// arrive begins the interval of a record, and reports whether that is another one than that of the
// record before. The values of the time between both are shared among the two intervals, as far as
// the time lies in them. The value of the time before a record belongs to the interval that has the
// end of that time.
func (m *Metric) arrive(at pcp.Timestamp) bool {
	every := m.of.options.Every
	if every <= 0 {
		return false
	}
	t := at.Time()
	if m.between {
		t = t.Add(-1)
	}
	if m.span.has(t) {
		return false
	}
	next := m.of.options.interval(t)
	if m.record == m.first {
		m.turn(next)
		return true
	}
	m.share(m.until(at), m.between)
	m.turn(next)
	m.share(min(at.Sub(m.before), at.Sub(pcp.TimestampOf(next.from))), true)
	return true
}

// share lets the values of the time between two records hold for those seconds of it that lie in the
// current interval. Foreign values are no samples of that.
func (m *Metric) share(seconds float64, foreign bool) {
	if seconds <= 0 {
		return
	}
	for i, x := range m.numbers {
		p := m.point(i, m.out.Insts[i])
		if math.IsNaN(x-x) || !m.between && p.record+1 != m.record {
			continue
		}
		if !m.between {
			x = p.value
		}
		m.All.hold(x, seconds)
		m.All.foreign = m.All.foreign || foreign
		if p.own != nil {
			p.own.hold(x, seconds)
			p.own.foreign = p.own.foreign || foreign
		}
	}
}

// until returns for how many seconds the last values hold at a time: not beyond the interval.
func (m *Metric) until(at pcp.Timestamp) float64 {
	if m.of.options.Every > 0 && m.span.to.Before(at.Time()) {
		at = pcp.TimestampOf(m.span.to)
	}
	return at.Sub(m.before)
}

// turn puts the series of an interval by, and begins those of another one. A Series that no sample
// will be added to is small.
func (m *Metric) turn(next span) {
	p := part{span: m.span, all: m.All}
	for i := range m.points {
		if own := m.points[i].own; own != nil && own.Samples > 0 {
			p.all.merge(own)
			p.instances = append(p.instances, instance{m.points[i].inst, own})
		}
	}
	m.span = next
	if m.of.options.Every <= 0 {
		m.parts = append(m.parts, p)
		return
	}
	for i := range m.points {
		if own := m.points[i].own; own != nil && own.Samples == 0 {
			own.total = total{}
		}
	}
	if p.all.Samples == 0 {
		p.all.total = total{} // an interval without a sample has no row
		return
	}
	m.parts = append(m.parts, p)
	m.of.Past += 1 + len(p.instances)
	m.All = newSeries(m.whole())
	for _, in := range append(p.instances, instance{Series: p.all}) {
		in.Sketch.freeze()
	}
	for i := range m.points {
		if p := &m.points[i]; p.own != nil && p.own.Samples > 0 {
			p.own = newSeries(m.whole())
		}
	}
}

// Empty reports whether no sample was seen in any interval.
func (m *Metric) Empty() bool {
	return len(m.parts) == 0 || len(m.parts) == 1 && m.parts[0].all.Samples == 0
}

// Forget lets go of what the Quantiles are computed from, but for what Compare needs. Other ones cannot
// be asked for after it.
func (s *Summary) Forget() {
	for _, m := range s.Metrics {
		for _, p := range m.parts {
			for _, in := range append(p.instances, instance{Series: p.all}) {
				points := in.Sketch.spread()
				in.Sketch.freeze()
				in.Sketch.points = points
			}
		}
	}
}
