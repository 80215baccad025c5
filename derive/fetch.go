package derive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// errShort means that the Source below violated its contract.
var errShort = errors.New("result does not match the request")

// A fetchPlan describes how one list of metrics is fetched. It is kept until the list changes.
type fetchPlan struct {
	ids    []pcp.ID      // of the caller
	asked  int           // how many of base.IDs are not operands
	known  int           // what Source.changes was
	base   pmapi.Request // what is asked of the Source below
	result pcp.Result    // what it answered
	slots  []slot        // for each of ids
	anyOK  bool          // there is a valid derived metric among ids
	column []*pcp.Values // operands of the metric that is being evaluated
	absent pcp.Values    // a missing operand
	input  eval.Input
	clock  clock // unused unless Options.Clock
	past   bool  // there are functions over time
}

// A slot is where one column of a result comes from.
type slot struct {
	metric *metric // nil if it comes from the Source below
	column int     // of the Source below
	twin   int     // the earlier slot with the same derived metric, or -1
	args   []int   // columns of the operands; -1 for a missing one
}

// Fetch fetches metrics and computes the derived ones among them. Operands are fetched in the same
// request.
func (s *Source) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if err := s.open(); err != nil {
		return err
	}
	if req.Records { // which name no metrics that could be derived
		return s.base.Fetch(ctx, req, dst)
	}
	p := &s.plan
	if p.known != s.changes || !slices.Equal(p.ids, req.IDs) {
		if !slices.ContainsFunc(req.IDs, func(id pcp.ID) bool { return s.fetchable(id) != nil }) {
			err := s.base.Fetch(ctx, req, dst)
			s.relabelled(dst.Changes)
			return err
		}
		if err := s.prepare(ctx, req.IDs); err != nil {
			*p = fetchPlan{clock: p.clock}
			return err
		}
	}
	if o := s.set.reg.Observer(); o != nil {
		o.Prefetched(p.base.IDs[p.asked:])
	}
	p.base.Profile, p.base.Gaps = req.Profile, req.Gaps || p.past
	clocked := s.opt.Clock && !s.recorded
	var sent time.Time
	if clocked {
		sent = time.Now()
	}
	err := s.base.Fetch(ctx, &p.base, &p.result)
	s.relabelled(p.result.Changes)
	if err != nil {
		return err
	}
	if n := len(p.base.IDs); n > 0 && len(p.result.Sets) != n { // constants need none, and a recording then has all
		return errShort
	}
	if p.result.Gap {
		s.interrupt()
	}
	s.insts.Begin(ctx, p.result.Time)
	if clocked {
		p.clock.note(sent, p.result.Time)
	}
	p.input.Time, p.input.Profile, p.input.Instances, p.input.Groups, p.input.Epoch = p.result.Time, req.Profile, s.insts, s.insts, p.clock.epoch
	dst.Reset(len(p.ids))
	dst.Time, dst.Changes, dst.Gap = p.result.Time, p.result.Changes, p.result.Gap
	for i := range p.slots {
		if p.slots[i].metric != nil {
			s.derive(i, dst)
		}
	}
	for i, sl := range p.slots {
		if sl.metric == nil {
			// Swapped, so that both results keep memory for the next fetch.
			dst.Sets[i], p.result.Sets[sl.column] = p.result.Sets[sl.column], dst.Sets[i]
		}
	}
	return nil
}

// relabelled forgets labels if a daemon reports a change after which they may be others.
func (s *Source) relabelled(c pcp.Changes) {
	if c&(pcp.LabelsChanged|pcp.AgentAdded|pcp.AgentRestarted|pcp.HostChanged) != 0 {
		s.insts.Domains().Groups().Forget()
	}
}

func (s *Source) derive(i int, dst *pcp.Result) {
	p := &s.plan
	sl, col := &p.slots[i], &dst.Sets[i]
	m := sl.metric
	switch {
	case sl.twin >= 0:
		copyColumn(col, &dst.Sets[sl.twin])
	case m.state == valid && m.alias:
		col.Reset(m.id, m.desc.Type)
		if !s.recorded {
			col.Err = pmerr.PMID
		}
	case m.state == valid:
		p.input.Columns = p.arguments(sl.args)
		if s.opt.Records && len(sl.args) > 0 && !slices.ContainsFunc(p.input.Columns, recorded) {
			col.Reset(m.id, m.desc.Type)
			return
		}
		m.eval.Eval(&p.input, col)
		if col.ID = m.id; p.input.Profile != nil && s.insts.Domains().Groups().Has(m.desc.InDom) {
			unselected(col, m.desc.InDom, p.input.Profile)
		}
		if o := s.set.reg.Observer(); o != nil {
			o.Evaluated(&Evaluation{s.state(), m.view(), m.info, i, &p.input, col})
		}
	default:
		col.Reset(m.id, pcp.Unknown)
		if !s.recorded || p.anyOK || m.state == removed {
			col.Err = pmerr.PMID
		}
	}
}

func (p *fetchPlan) arguments(args []int) []*pcp.Values {
	p.column = p.column[:0]
	for _, a := range args {
		if a < 0 {
			p.column = append(p.column, &p.absent)
		} else {
			p.column = append(p.column, &p.result.Sets[a])
		}
	}
	return p.column
}

// recorded reports whether a record has a metric, if only without values.
func recorded(v *pcp.Values) bool { return v.Len() > 0 || v.Empty || v.Err != nil }

func copyColumn(dst, src *pcp.Values) {
	dst.Reset(src.ID, src.Type)
	dst.Err = src.Err
	dst.Insts = append(dst.Insts, src.Insts...)
	dst.Words = append(dst.Words, src.Words...)
	dst.Blobs = append(dst.Blobs, src.Blobs...)
}

func (s *Source) prepare(ctx context.Context, ids []pcp.ID) error {
	if err := s.newEnv(ctx, Used).bindAll(s.derived(ids), nil); err != nil {
		return err
	}
	p := &s.plan
	p.ids, p.known, p.anyOK = slices.Clone(ids), s.changes, false
	p.slots = make([]slot, len(ids))
	p.base.IDs = nil
	column, first := make(map[pcp.ID]int), make(map[pcp.ID]int)
	for i, id := range ids {
		m := s.fetchable(id)
		if m != nil && m.state != masked {
			p.slots[i] = slot{metric: m, twin: -1}
			if twin, ok := first[id]; ok {
				p.slots[i].twin = twin
			} else {
				first[id] = i
			}
			p.anyOK = p.anyOK || m.state == valid
			continue
		}
		p.slots[i] = slot{column: len(p.base.IDs)}
		if _, ok := column[id]; !ok {
			column[id] = len(p.base.IDs)
		}
		p.base.IDs = append(p.base.IDs, id)
	}
	p.asked = len(p.base.IDs)
	for i := range p.slots {
		if m := p.slots[i].metric; m != nil && m.state == valid && !m.alias {
			p.slots[i].args = p.operands(m, column)
			if m.eval == nil {
				m.eval = eval.New(m.tree, m.info).NewState()
			}
		}
	}
	p.past = false
	for m := range s.all() {
		p.past = p.past || m.eval != nil && m.eval.LooksBack()
	}
	return nil
}

// Err returns the error of a column of values of an expression, or nil. It says what to type instead where
// functions over time would keep too much.
func Err(x syntax.Expr, v *pcp.Values) error {
	if v.Err == nil {
		return nil
	}
	for n := range syntax.Preorder(x) {
		if call, ok := n.(*syntax.CallExpr); ok && call.Over != nil && v.Err == pmerr.TooBig {
			return fmt.Errorf("%s() and others over time keep at most %d values: a shorter time, or topn() or matchinst() inside, keeps fewer (%w)",
				call.Fun.Symbol(), eval.MaxPast, v.Err)
		}
	}
	return v.Err
}

// interrupt makes functions over time forget the values before an interruption of the recording.
func (s *Source) interrupt() {
	for m := range s.all() {
		if m.eval != nil {
			m.eval.Interrupt()
		}
	}
}

// operands adds the operands of a metric to the request for the Source below and returns their
// columns.
func (p *fetchPlan) operands(m *metric, column map[pcp.ID]int) []int {
	args := make([]int, len(m.info.Operands))
	for k, id := range m.info.Operands {
		c, ok := column[id]
		if !ok {
			c = len(p.base.IDs)
			column[id] = c
			p.base.IDs = append(p.base.IDs, id)
		}
		args[k] = c
	}
	return args
}
