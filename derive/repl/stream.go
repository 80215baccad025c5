package repl

import "context"

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

// Next returns the next sample, or nil for one that only the values of later ones need. One that is
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
	smp := t.p.take(ctx, res)
	if smp == nil {
		smp = &Sample{Time: res.Time, Sets: make([]Set, len(t.run.Exprs))}
	}
	return smp, nil
}
