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
		if !slices.ContainsFunc(req.IDs, func(id pcp.ID) bool { return s.byID(id) != nil }) {
			err := s.base.Fetch(ctx, req, dst)
			s.relabelled(dst.Changes)
			return err
		}
		if err := p.prepare(ctx, &s.binder, req.IDs); err != nil {
			*p = fetchPlan{clock: p.clock}
			return err
		}
	}
	if o := s.set.settings.Observer(); o != nil {
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

// interrupt makes functions over time forget the values before an interruption of the recording.
func (s *Source) interrupt() {
	for m := range s.all() {
		if m.eval != nil {
			m.eval.Interrupt()
		}
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
		if o := s.set.settings.Observer(); o != nil {
			o.Evaluated(&Evaluation{s.state(), m.view(), m.info, i, &p.input, col})
		}
	default:
		col.Reset(m.id, pcp.Unknown)
		if !s.recorded || p.anyOK {
			col.Err = pmerr.PMID
		}
	}
}

// unselected removes the values of groups that a profile leaves out: it chose no instances below.
func unselected(v *pcp.Values, d pcp.InDom, p *pcp.Profile) {
	kept := 0
	for i, inst := range v.Insts {
		if p.Selects(d, inst) {
			v.Insts[kept], v.Words[kept] = inst, v.Words[i]
			kept++
		}
	}
	v.Insts, v.Words = v.Insts[:kept], v.Words[:kept]
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
