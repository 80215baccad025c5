package summary

import (
	"math"
	"time"

	"pmtools/lib/pcp"
)

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

// arrive begins the interval of a record, and reports whether that is another one than that of the
// record before. The values of the time between both are shared among the two intervals, as far as
// the time lies in them. The value of the time before a record belongs to the interval that has the
// end of that time.
func (m *metric) arrive(at pcp.Timestamp) bool {
	every := m.of.opt.Every
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
	next := m.of.opt.interval(t)
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
func (m *metric) share(seconds float64, foreign bool) {
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
		m.all.hold(x, seconds)
		m.all.foreign = m.all.foreign || foreign
		if p.own != nil {
			p.own.hold(x, seconds)
			p.own.foreign = p.own.foreign || foreign
		}
	}
}

// until returns for how many seconds the last values hold at a time: not beyond the interval.
func (m *metric) until(at pcp.Timestamp) float64 {
	if m.of.opt.Every > 0 && m.span.to.Before(at.Time()) {
		at = pcp.TimestampOf(m.span.to)
	}
	return at.Sub(m.before)
}
