package repl

import (
	"context"
	"errors"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A sampler takes samples of a query in turn.
type sampler struct {
	s       *Session
	q       *query
	delay   time.Duration // between samples; 0 over a recording, unless it is to be replayed
	end     pcp.Timestamp // samples after it are not taken
	bounded bool
	due     time.Time // of the next sample
	sel     *Selection
	result  pcp.Result
	names   map[pcp.InDom]*instanceNames
}

// newSampler returns a sampler that begins at the position of the Session.
func (s *Session) newSampler(q *query, interval time.Duration) (*sampler, error) {
	p := &sampler{s: s, q: q, names: make(map[pcp.InDom]*instanceNames)}
	if s.line == nil {
		p.delay = interval
	}
	if err := s.timeline.seek(); err != nil {
		return nil, &Problem{Msg: err.Error(), Err: err}
	}
	return p, nil
}

// errEnd means that there are no more samples.
var errEnd = errors.New("end of the recording")

// next takes a sample. It belongs to the sampler and is overwritten by the next one.
func (p *sampler) next(ctx context.Context) (*pcp.Result, error) {
	if err := p.wait(ctx); err != nil {
		return nil, err
	}
	err := p.q.src.Fetch(ctx, &p.q.request, &p.result)
	switch {
	case errors.Is(err, pmerr.EOL):
		return nil, errEnd
	case err != nil:
		return nil, err
	case p.bounded && p.result.Time.Compare(p.end) > 0:
		return nil, errEnd
	}
	return &p.result, nil
}

// wait waits until the next sample is due. The times do not drift.
func (p *sampler) wait(ctx context.Context) error {
	if p.delay <= 0 {
		return p.ended(ctx)
	}
	now := time.Now()
	if p.due.IsZero() || now.Sub(p.due) > p.delay {
		p.due = now
	}
	if wait := p.due.Sub(now); wait > 0 {
		if p.s.opt.Flush != nil {
			if err := p.s.opt.Flush(); err != nil {
				return err
			}
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return idleError{ctx.Err()}
		}
	}
	p.due = p.due.Add(p.delay)
	return p.ended(ctx)
}

// ended returns an error if ctx has ended.
func (p *sampler) ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return idleError{err}
	}
	return nil
}

// An idleError is that of a context which has ended while no request was under way.
type idleError struct{ error }

// Unwrap returns the error of the context.
func (e idleError) Unwrap() error { return e.error }

// warmUp takes the samples that the values of later ones need.
func (p *sampler) warmUp(ctx context.Context, n int) (err error) {
	for ; n > 0 && err == nil; n-- {
		_, err = p.next(ctx)
	}
	return err
}

// A Sample is the values of all expressions at one time. It holds until the next one is taken.
type Sample struct {
	Time    pcp.Timestamp
	Sets    []Set
	Ordered bool // values are in an order other than that of the identifiers
}

// take returns what a result holds for the expressions. It is nil if the sample is not selected.
func (p *sampler) take(ctx context.Context, res *pcp.Result) (*Sample, error) {
	out := &Sample{Time: res.Time, Sets: make([]Set, len(p.q.exprs))}
	for i, c := range p.q.exprs {
		v := &res.Sets[c.column]
		set := &out.Sets[i]
		if v.Err != 0 {
			set.Err = v.Err
			continue
		}
		set.values = v
		if c.rate {
			set.rates = &rateColumn{Values: &res.Sets[c.rateColumn]}
		}
		if d := c.info.Root.InDom; d != pcp.NullInDom {
			set.name = func(inst int32) string { return p.instance(ctx, d, inst, res.Time) }
		}
	}
	if p.sel != nil {
		if some, err := p.q.choose(ctx, p.sel, res, out); err != nil || !some {
			return nil, err
		}
	}
	return out, p.s.set.arrange(ctx, out, func(i int) bool { return p.q.exprs[i].rate && !p.s.raw() })
}

// query compiles an expression and makes it ready to be fetched. It calls note for each expanded
// name.
func (s *Session) query(ctx context.Context, text string, note func(string)) (*query, error) {
	q, bad, err := s.queries(ctx, s.binder(ctx), []string{text}, []string{text}, note)
	if err == nil && bad != nil {
		err = bad[0]
	}
	return q, err
}

// queries compiles expressions with their names and makes those ready to be fetched that are right.
// There is no query if none is.
func (s *Session) queries(ctx context.Context, b *binder, texts, names []string, note func(string)) (*query, Problems, error) {
	var exprs []*compiled
	var right []string
	var bad Problems
	noted := make(map[string]bool)
	for i, text := range texts {
		c, err := b.compileAs(ctx, text, names[i])
		if p, ok := errors.AsType[*Problem](err); ok {
			bad = append(bad, p)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		if p := s.instanceProblem(ctx, text, c); p != nil {
			bad = append(bad, p)
			continue
		}
		exprs, right = append(exprs, c), append(right, names[i])
		for _, name := range c.used {
			if !noted[name] && note != nil {
				note("expanded " + name)
			}
			noted[name] = true
		}
	}
	if len(exprs) == 0 {
		return nil, bad, nil
	}
	return b.newQuery(exprs, right), bad, nil
}

// once takes one sample of a query at the position, and those before it that it needs. It is nil if
// it is not selected.
func (s *Session) once(ctx context.Context, q *query, sel *Selection) (*Sample, error) {
	p, err := s.newSampler(q, s.set.Interval)
	if err != nil {
		return nil, err
	}
	p.sel = sel
	var res *pcp.Result
	if err = p.warmUp(ctx, q.depth(s.raw())); err == nil {
		res, err = p.next(ctx)
	}
	switch {
	case errors.Is(err, errEnd):
		return nil, problemf("the recording ends before the %s that this needs", plural(q.depth(s.raw())+1, "sample"))
	case err != nil:
		return nil, err
	}
	return p.take(ctx, res)
}

// A Stream takes samples of expressions one at a time, when they are asked for.
type Stream struct {
	s    *Session
	p    *sampler
	run  *Run
	skip int // samples that only later ones need
}

// Stream returns the samples of expressions from the position on. All expressions must be right; the
// error holds the Problems otherwise. The Session must not be used for anything else meanwhile.
func (s *Session) Stream(ctx context.Context, exprs []string, sel *Selection) (*Stream, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	q, bad, err := s.compileAll(ctx, exprs, sel, nil)
	switch {
	case err != nil:
		return nil, err
	case bad != nil:
		return nil, bad
	}
	p, err := s.newSampler(q, 0)
	if err != nil {
		return nil, err
	}
	p.sel = sel
	return &Stream{s: s, p: p, run: s.runOf(s.set.Output, q, &Window{}), skip: q.depth(s.raw())}, nil
}

// Run returns what the samples have in common.
func (t *Stream) Run() *Run { return t.run }

// Next returns the next sample, which keeps its values when more are taken, or nil for one that only the values of later ones need. One that is
// not selected has no values.
func (t *Stream) Next(ctx context.Context) (*Sample, error) {
	if err := t.s.acquire(ctx); err != nil {
		return nil, err
	}
	defer t.s.release()
	res, err := t.p.next(ctx)
	if err != nil {
		return nil, t.s.noteLost(err)
	}
	if t.skip > 0 {
		t.skip--
		return nil, nil
	}
	smp, err := t.p.take(ctx, res)
	if err != nil {
		return nil, err
	}
	if smp == nil {
		return &Sample{Time: res.Time, Sets: make([]Set, len(t.run.Exprs))}, nil
	}
	for i := range smp.Sets {
		set := &smp.Sets[i]
		list, err := set.own(ctx)
		if err != nil {
			return nil, err
		}
		*set = Set{Err: set.Err, More: set.More, list: list}
	}
	return smp, nil
}
