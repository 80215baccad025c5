// Package summary puts the records of an archive together to a few numbers for each metric: how
// many samples there are, the smallest and the largest, the mean over time, quantiles. It reads
// each record once; what it keeps depends on the metrics and instances, not on the records.
package summary

import (
	"math"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Metric is an expression that is summarized.
type Metric struct {
	Name    string
	Desc    pcp.Desc  // of the values
	Counter *pcp.Desc // of the counter if the values are its rate, else nil
	All     *Series   // the values of all instances
	Fixed   bool      // the expression says in which units the values are

	between bool // values are those of the time since the record before
	of      *Summary
	evaluation
	progress
	parts  []part
	points []point
	where  map[int32]int // in points
}

// An evaluation makes values of the operands in a record.
type evaluation struct {
	plan    *eval.Plan
	state   *eval.State
	columns []*pcp.Values // operands in the current record; nil for those that are not in it
	touched uint64        // the last record that has an operand
	out     pcp.Values
	numbers []float64
	// Wanted reports whether a value counts; nil for all of them.
	Wanted func(at pcp.Timestamp, inst int32, value float64) bool
}

// A progress is how far the records have been read.
type progress struct {
	epoch  int           // of the last record
	record uint64        // the number of records with an operand, and one more for each epoch
	first  uint64        // the number of the first one of the epoch
	before pcp.Timestamp // the time of the record before
	span                 // the interval of which the series are; empty before the first one
}

// A point is the last sample of an instance.
type point struct {
	inst   int32
	epoch  int
	record uint64
	value  float64
	own    *Series // nil unless each instance has one
}

// A Summary takes records one after the other.
type Summary struct {
	Metrics []*Metric
	Records int // how many had a metric
	Marks   int
	First   pcp.Timestamp // of the records
	Last    pcp.Timestamp
	Past    int // how many series of intervals are kept

	options Options
	operands
	input eval.Input
	count uint64
	due   []*Metric // those with operands in the current record
}

// operands are the metrics that records must have.
type operands struct {
	users    map[pcp.ID]*users
	last     *users // of the set before
	traits   map[pcp.ID]trait
	nested   map[syntax.Expr]bool // definitions that were looked at
	discrete map[*Metric][]use    // those of metrics with others, see kept
	kept     map[pcp.ID]*pcp.Values
}

// A trait is what the descriptor of an operand says about its values.
type trait struct{ singular, discrete bool }

// users are the metrics of which a set of values is an operand.
type users struct {
	id   pcp.ID
	list []use
	next *users // of the set that came after it in the last record
}

type use struct {
	metric   *Metric
	id       pcp.ID
	column   int
	singular bool
	discrete bool // the values are kept
}

// New returns a Summary without metrics.
func New(opt Options) *Summary {
	return &Summary{options: opt, operands: operands{
		users: make(map[pcp.ID]*users), traits: make(map[pcp.ID]trait), nested: make(map[syntax.Expr]bool),
		discrete: make(map[*Metric][]use), kept: make(map[pcp.ID]*pcp.Values),
	}}
}

// Add adds a metric: an expression with numbers as values. Between means that each value is that of
// the time since the record before, as a rate is; otherwise it holds until the next record.
func (s *Summary) Add(name string, e syntax.Expr, info *check.Info, between bool) *Metric {
	m := &Metric{Name: name, Desc: info.Root.Desc(pcp.NullID), between: between, of: s}
	m.plan = eval.New(e, info)
	m.All = newSeries(m.whole())
	s.look(e, info)
	m.columns = make([]*pcp.Values, len(info.Operands))
	mixed := s.mixed(info.Operands)
	for i, id := range info.Operands {
		t := s.traits[id]
		u := use{metric: m, id: id, column: i, singular: t.singular, discrete: mixed && t.discrete}
		of := s.users[id]
		if of == nil {
			of = &users{id: id}
			s.users[id] = of
		}
		if of.list = append(of.list, u); u.discrete {
			s.discrete[m] = append(s.discrete[m], u)
		}
	}
	s.Metrics = append(s.Metrics, m)
	return m
}

// look finds the traits of the operands of an expression. Definitions in it may be in many expressions.
func (s *Summary) look(e syntax.Expr, info *check.Info) {
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.NestExpr:
			seen := s.nested[n.X]
			s.nested[n.X] = true
			return !seen
		case *syntax.MetricRef:
			if d, ok := info.Metrics[n]; ok {
				s.traits[d.ID] = trait{singular: d.InDom == pcp.NullInDom, discrete: d.Sem == pcp.Discrete}
			}
		}
		return true
	})
}

func (m *Metric) whole() bool { return m.Desc.Type != pcp.Float && m.Desc.Type != pcp.Double }

// Operands returns the identifiers of the metrics that records must have.
func (s *Summary) Operands() []pcp.ID {
	ids := make([]pcp.ID, 0, len(s.users))
	for id := range s.users {
		ids = append(ids, id)
	}
	return ids
}

// Mark notes that recording was interrupted: nothing is known about the time between the mark and
// the record after it.
func (s *Summary) Mark(at pcp.Timestamp) {
	s.hold(at)
	s.Marks++
	clear(s.kept)
}

// Record adds a record, or those columns of it that Operands asks for.
func (s *Summary) Record(res *pcp.Result, insts eval.Instances) {
	s.count++
	s.due = s.due[:0]
	for i := range res.Sets {
		set := &res.Sets[i]
		for k, list := 0, s.uses(set.ID); k < len(list); k++ {
			u := &list[k]
			m := u.metric
			if u.discrete {
				s.keep(*u, set)
				continue
			}
			if m.touched != s.count {
				m.touched = s.count
				clear(m.columns)
				s.due = append(s.due, m)
			}
			if u.singular && set.Len() > 0 {
				set.Insts[0] = pcp.NullInst // old archives have anything there, another one in each record
			}
			if m.columns[u.column] == nil {
				m.columns[u.column] = set
			}
		}
	}
	if len(s.due) == 0 {
		return
	}
	if s.Records++; s.Records == 1 {
		s.First = res.Time
	}
	s.Last = res.Time
	s.input.Time, s.input.Instances = res.Time, insts
	s.input.Groups, _ = insts.(eval.Grouper)
	for _, m := range s.due {
		m.record++
		if m.epoch != s.Marks || m.first == 0 {
			m.begin(s.Marks)
		}
		if len(s.discrete) > 0 {
			s.fill(m)
		}
		s.input.Columns = m.columns
		m.state.Eval(&s.input, &m.out)
		m.take(res.Time)
		m.before = res.Time
	}
}

// uses returns the uses of a metric. Most sets stand in each record after the same other one.
func (s *Summary) uses(id pcp.ID) []use {
	u := s.last
	if u != nil && u.next != nil && u.next.id == id {
		s.last = u.next
		return u.next.list
	}
	found := s.users[id]
	if found == nil {
		return nil
	}
	if s.last = found; u != nil {
		u.next = found
	}
	return found.list
}

// End says when the records end. Records after it are not allowed.
func (s *Summary) End(at pcp.Timestamp) {
	s.hold(at)
	for _, m := range s.Metrics {
		m.turn(m.span)
	}
}

// hold lets the values of discrete metrics, which are recorded when they change, hold until a time.
func (s *Summary) hold(at pcp.Timestamp) {
	for _, m := range s.Metrics {
		seconds := m.until(at)
		if m.Desc.Sem != pcp.Discrete || m.between || m.first == 0 || m.epoch != s.Marks || seconds <= 0 {
			continue
		}
		for i := range m.points {
			if p := &m.points[i]; p.record == m.record {
				m.All.hold(p.value, seconds)
				if p.own != nil {
					p.own.hold(p.value, seconds)
				}
			}
		}
	}
}

// begin begins an epoch: samples before it are not neighbours of later ones.
func (m *Metric) begin(epoch int) {
	m.state = m.plan.NewState()
	m.record++
	m.first, m.epoch = m.record, epoch
}

func (m *Metric) take(at pcp.Timestamp) {
	if m.out.Err != 0 {
		return
	}
	seconds := 0.0
	if m.record > m.first {
		seconds = at.Sub(m.before)
	}
	m.numbers = m.out.AppendFloats(m.numbers[:0])
	turned := m.arrive(at)
	held, holding := 0.0, 0 // what holds for the time since the record before, and how many values that are
	for i, x := range m.numbers {
		if math.IsNaN(x-x) || m.Wanted != nil && !m.Wanted(at, m.out.Insts[i], x) { // or infinite
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
			m.All.sum += x // turn adds the rest
		} else {
			m.All.add(x, at)
		}
		p.record, p.epoch, p.value = m.record, m.epoch, x
	}
	m.All.area += held * seconds
	m.All.seconds += float64(holding) * seconds
}

// missed counts why an instance had no value in the record before.
func (m *Metric) missed(p *point) {
	s := m.All
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
func (m *Metric) point(i int, inst int32) *point {
	if i < len(m.points) && m.points[i].inst == inst {
		return &m.points[i]
	}
	return m.find(inst)
}

// find is point for an instance that stood elsewhere, or nowhere.
func (m *Metric) find(inst int32) *point {
	k, ok := m.where[inst]
	if !ok {
		if m.where == nil {
			m.where = make(map[int32]int)
		}
		k = len(m.points)
		m.where[inst] = k
		p := point{inst: inst}
		if m.of.options.Instances && m.Desc.InDom != pcp.NullInDom {
			p.own = newSeries(m.whole())
		}
		m.points = append(m.points, p)
	}
	return &m.points[k]
}
