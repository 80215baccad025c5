package summary

import (
	"math"
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A recorder takes records one after the other. It evaluates the metrics that have an operand in a record.
type recorder struct {
	Summary
	opt     *Options
	metrics []*metric
	past    int // how many rows of intervals there are

	users  map[pcp.ID][]use       // of the metrics of which a set of values is an operand
	descs  map[pcp.ID]pcp.Desc    // of operands
	nested map[syntax.Expr]bool   // definitions that describe has looked at
	kept   map[pcp.ID]*pcp.Values // see keep
	input  eval.Input
	count  uint64
	due    []*metric // those with operands in the current record
}

type use struct {
	metric   *metric
	id       pcp.ID
	column   int
	singular bool
	kept     bool // see keep
}

func newRecorder(opt *Options) *recorder {
	return &recorder{
		opt: opt, users: make(map[pcp.ID][]use), descs: make(map[pcp.ID]pcp.Desc), nested: make(map[syntax.Expr]bool),
		kept: make(map[pcp.ID]*pcp.Values),
	}
}

// add adds an expression with numbers as values. Between means that each value is that of the time since the
// record before, as a rate is; otherwise it holds until the next record.
func (r *recorder) add(name string, e syntax.Expr, info *check.Info, between bool) *metric {
	m := &metric{Metric: &Metric{Name: name, Desc: info.Root.Desc(pcp.NullID)}, between: between, of: r}
	m.plan = eval.New(e, info)
	m.all = newSeries(m.Metric)
	r.describe(e, info)
	m.columns = make([]*pcp.Values, len(info.Operands))
	discrete := 0
	for _, id := range info.Operands {
		if r.descs[id].Sem == pcp.Discrete {
			discrete++
		}
	}
	for i, id := range info.Operands {
		d := r.descs[id]
		u := use{metric: m, id: id, column: i, singular: d.InDom == pcp.NullInDom, kept: d.Sem == pcp.Discrete && discrete < len(info.Operands)}
		if r.users[id] = append(r.users[id], u); u.kept {
			m.kept = append(m.kept, u)
		}
	}
	r.metrics = append(r.metrics, m)
	return m
}

// describe finds the descriptors of the operands of an expression. It walks over the expression, because
// info.Metrics may have operands of others, too, and enters each nested definition once.
func (r *recorder) describe(e syntax.Expr, info *check.Info) {
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.NestExpr:
			seen := r.nested[n.X]
			r.nested[n.X] = true
			return !seen
		case *syntax.MetricRef:
			if d, ok := info.Metrics[n]; ok {
				r.descs[d.ID] = d
			}
		}
		return true
	})
}

// mark notes that recording was interrupted: nothing is known about the time between the mark and
// the record after it.
func (r *recorder) mark(at pcp.Timestamp) {
	r.hold(at)
	r.Marks++
	clear(r.kept)
}

// record takes a record, or those columns of it that users wait for.
func (r *recorder) record(res *pcp.Result, insts eval.Instances) {
	r.count++
	r.due = r.due[:0]
	for i := range res.Sets {
		set := &res.Sets[i]
		for k, list := 0, r.users[set.ID]; k < len(list); k++ {
			u := &list[k]
			m := u.metric
			if u.kept {
				r.keep(u, set)
				continue
			}
			if m.touched != r.count {
				m.touched = r.count
				clear(m.columns)
				r.due = append(r.due, m)
			}
			if u.singular && set.Len() > 0 {
				set.Insts[0] = pcp.NullInst // old archives have anything there, another one in each record
			}
			if m.columns[u.column] == nil {
				m.columns[u.column] = set
			}
		}
	}
	if len(r.due) == 0 {
		return
	}
	if r.Records++; r.Records == 1 {
		r.First = res.Time
	}
	r.Last = res.Time
	r.input.Time, r.input.Instances = res.Time, insts
	r.input.Groups, _ = insts.(eval.Grouper)
	for _, m := range r.due {
		m.record++
		if m.epoch != r.Marks || m.first == 0 {
			m.begin(r.Marks)
		}
		for _, u := range m.kept {
			m.columns[u.column] = r.kept[u.id]
		}
		r.input.Columns = m.columns
		m.state.Eval(&r.input, &m.out)
		m.take(res.Time)
		m.before = res.Time
	}
}

// keep takes over the values of a discrete operand, such as hinv.ncpu, which loggers record once: beside
// operands that are in each record they hold until the next record that has them, or a mark.
func (r *recorder) keep(u *use, set *pcp.Values) {
	kept := r.kept[set.ID]
	if kept == nil {
		kept = new(pcp.Values)
		r.kept[set.ID] = kept
	}
	kept.Reset(set.ID, set.Type)
	kept.Err = set.Err
	for i := range set.Len() {
		inst := set.Insts[i]
		if u.singular {
			inst = pcp.NullInst
		}
		v := set.Value(i)
		if v.IsSet() && !v.Type().Arithmetic() {
			v = pcp.BlobValue(v.Type(), slices.Clone(v.Bytes()))
		}
		kept.Append(inst, v)
	}
}

// end says when the records end.
func (r *recorder) end(at pcp.Timestamp) {
	r.hold(at)
	for _, m := range r.metrics {
		m.turn(m.span)
	}
}

// hold lets the values of discrete metrics, which are recorded when they change, hold until a time.
func (r *recorder) hold(at pcp.Timestamp) {
	for _, m := range r.metrics {
		seconds := m.until(at)
		if m.Desc.Sem != pcp.Discrete || m.between || m.first == 0 || m.epoch != r.Marks || seconds <= 0 {
			continue
		}
		for i := range m.points {
			if p := &m.points[i]; p.record == m.record {
				m.all.hold(p.value, seconds)
				if p.own != nil {
					p.own.hold(p.value, seconds)
				}
			}
		}
	}
}

// finish returns the Summary, whose instances have names.
func (r *recorder) finish(name func(pcp.InDom, int32) string) *Summary {
	n := 0
	for _, m := range r.metrics {
		n += len(m.rows)
	}
	r.Rows = make([]Row, 0, n)
	for _, m := range r.metrics {
		for i := range m.rows {
			if row := &m.rows[i]; row.One {
				row.Instance = name(m.Desc.InDom, row.ID)
			} else if len(m.points) > 1 {
				row.First, row.Last = math.NaN(), math.NaN() // there are several
			}
		}
		r.Rows = append(r.Rows, m.rows...)
		m.rows = nil
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return a.From.Compare(b.From) })
	return &r.Summary
}
