package summary

import (
	"math"
	"slices"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
)

// A metric makes values of the operands in records, and adds them to series.
type metric struct {
	*Metric
	of      *recorder
	between bool                                                   // values are those of the time since the record before
	wanted  func(at pcp.Timestamp, inst int32, value float64) bool // nil for all values
	during  func(at pcp.Timestamp) bool                            // nil for all times
	kept    []use                                                  // see recorder.keep

	plan    *eval.Plan
	state   *eval.State
	columns []*pcp.Values // operands in the current record; nil for those that are not in it
	touched uint64        // the last record that has an operand
	out     pcp.Values
	numbers []float64

	epoch  int           // of the last record
	record uint64        // the number of records with an operand, and one more for each epoch
	first  uint64        // the number of the first one of the epoch
	before pcp.Timestamp // the time of the record before
	span                 // the interval of which the series are; empty before the first one

	all    *series // the values of all instances
	points []point
	where  map[int32]int // in points
	rows   []Row         // of the intervals before
}

// A point is the last sample of an instance.
type point struct {
	inst   int32
	epoch  int
	record uint64
	value  float64
	own    *series // nil unless there are rows of each instance
}

// begin begins an epoch: samples before it are not neighbours of later ones.
func (m *metric) begin(epoch int) {
	m.state = m.plan.NewState()
	m.record++
	m.first, m.epoch = m.record, epoch
}

// take takes the values of a record.
func (m *metric) take(at pcp.Timestamp) {
	if m.out.Err != nil {
		return
	}
	seconds := 0.0
	if m.record > m.first {
		seconds = at.Sub(m.before)
	}
	if m.during != nil && !m.during(at) {
		return
	}
	m.numbers = m.out.AppendFloats(m.numbers[:0])
	turned := m.arrive(at)
	held, holding := 0.0, 0 // what holds for the time since the record before, and how many values that are
	for i, x := range m.numbers {
		if math.IsNaN(x-x) || m.wanted != nil && !m.wanted(at, m.out.Insts[i], x) { // or infinite
			continue
		}
		p := m.point(i, m.out.Insts[i])
		next := p.record+1 == m.record
		if !next && p.record > 0 {
			m.missed(p)
		}
		if !turned && (next || m.between) {
			value := p.value
			if m.between {
				value = x
			}
			held += value
			holding++
			if p.own != nil {
				p.own.hold(value, seconds)
			}
		}
		if p.own != nil {
			p.own.add(x, at)
			m.all.sum += x // turn adds the rest
		} else {
			m.all.add(x, at)
		}
		p.record, p.epoch, p.value = m.record, m.epoch, x
	}
	m.all.area += held * seconds
	m.all.Seconds += float64(holding) * seconds
}

// missed counts why an instance had no value in the record before.
func (m *metric) missed(p *point) {
	s := m.all
	if p.own != nil {
		s = p.own
	}
	if p.epoch != m.epoch {
		s.Marks++
	} else {
		s.Gaps++
	}
}

// point returns the last sample of an instance, which is tried at a place first.
func (m *metric) point(i int, inst int32) *point {
	if i < len(m.points) && m.points[i].inst == inst {
		return &m.points[i]
	}
	return m.find(inst)
}

// find returns the point of an instance that is new, or whose place in the record has changed.
func (m *metric) find(inst int32) *point {
	k, ok := m.where[inst]
	if !ok {
		if m.where == nil {
			m.where = make(map[int32]int)
		}
		k = len(m.points)
		m.where[inst] = k
		p := point{inst: inst}
		if m.of.opt.Instances && m.Desc.InDom != pcp.NullInDom {
			p.own = newSeries(m.Metric)
		}
		m.points = append(m.points, p)
	}
	return &m.points[k]
}

// turn makes rows of the series of an interval, and begins those of another one.
func (m *metric) turn(next span) {
	at := len(m.rows)
	m.rows = append(slices.Grow(m.rows, 1+len(m.points)), Row{}) // that of all comes before those of instances, of which it is made
	for i := range m.points {
		p := &m.points[i]
		switch {
		case p.own == nil:
		case p.own.Samples == 0:
			*p.own = *newSeries(m.Metric)
		default:
			m.all.merge(p.own)
			m.rows = append(m.rows, m.row(p.own, p.inst, true))
			if m.of.opt.Every > 0 {
				p.own = newSeries(m.Metric)
			}
		}
	}
	m.rows[at] = m.row(m.all, pcp.NullInst, false)
	m.rows[at].Above = len(m.rows) > at+1
	if m.of.opt.Every > 0 && m.all.Samples == 0 {
		m.rows = m.rows[:at] // an interval without a sample has no row
	}
	m.of.past += len(m.rows) - at
	m.all = newSeries(m.Metric)
	m.span = next
}

// row returns the row of a series.
func (m *metric) row(s *series, inst int32, one bool) Row {
	r := Row{Metric: m.Metric, Figures: s.finish(m.of.opt.Compared, m.of.opt.Quantiles), ID: inst, One: one}
	if m.of.opt.Every > 0 {
		r.From, r.To = pcp.TimestampOf(m.from), pcp.TimestampOf(m.to)
	}
	return r
}
