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
	// summary. They begin at multiples of it since the midnight of 1970-01-01 in a zone that is Offset
	// ahead of UTC.
	Every, Offset time.Duration
}

// number returns the number of the interval in which a value lies. The value of the time between two
// records belongs to the interval that has the end of that time.
func (o *Options) number(at pcp.Timestamp, between bool) int64 {
	if o.Every <= 0 {
		return 0
	}
	ns := at.Time().Add(o.Offset).UnixNano()
	if between {
		ns--
	}
	n := ns / int64(o.Every)
	if ns%int64(o.Every) < 0 {
		n--
	}
	return n
}

// start returns where an interval begins.
func (o *Options) start(number int64) pcp.Timestamp {
	return pcp.TimestampOf(time.Unix(0, number*int64(o.Every)).Add(-o.Offset))
}

// A part is the summary of a metric in one interval.
type part struct {
	number    int64
	all       *Series
	instances []instance // those with samples, in the order in which they came
}

type instance struct {
	id int32
	*Series
}

// arrive begins the interval of a record, and reports whether that is another one than that of the
// record before. Values hold until the end of theirs.
func (m *Metric) arrive(at pcp.Timestamp) bool {
	number := m.of.options.number(at, m.between)
	if number == m.interval {
		return false
	}
	if !m.between && m.record > m.first {
		seconds := m.until(at)
		for i, x := range m.numbers {
			if p := m.point(i, m.out.Insts[i]); p.record+1 == m.record && !math.IsNaN(x-x) {
				m.All.hold(p.value, seconds)
				if p.own != nil {
					p.own.hold(p.value, seconds)
				}
			}
		}
	}
	m.turn(number)
	return true
}

// until returns for how many seconds the last values hold at a time: not beyond the interval.
func (m *Metric) until(at pcp.Timestamp) float64 {
	if m.of.options.Every > 0 {
		if end := m.of.options.start(m.interval + 1); end.Compare(at) < 0 {
			at = end
		}
	}
	return at.Sub(m.before)
}

// turn puts the series of an interval by, and begins those of another one. A Series that no sample
// will be added to is small.
func (m *Metric) turn(number int64) {
	p := part{number: m.interval, all: m.All}
	for i := range m.points {
		if own := m.points[i].own; own != nil && own.Samples > 0 {
			p.all.merge(own)
			p.instances = append(p.instances, instance{m.points[i].inst, own})
		}
	}
	m.interval = number
	if m.of.options.Every <= 0 {
		m.parts = append(m.parts, p)
		return
	}
	if p.all.Samples == 0 {
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

// Forget lets go of what the Quantiles are computed from. Other ones cannot be asked for after it.
func (s *Summary) Forget() {
	for _, m := range s.Metrics {
		for _, p := range m.parts {
			for _, in := range append(p.instances, instance{Series: p.all}) {
				in.Sketch.freeze()
			}
		}
	}
}
