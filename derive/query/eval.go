package query

import (
	"context"
	"time"

	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// Eval returns the values of an expression, one for each instance: those that a live source has now, or
// those of a recording near its beginning, interpolated at steps of ten seconds. Counters become rates, for
// which a live source is asked twice, a second apart. The error of a wrong expression is a *diagnose.Problem; without values there is no error.
func Eval(ctx context.Context, src pmapi.Source, expr string) ([]sampling.Value, error) {
	q := &Query{Exprs: []string{expr}, Once: true}
	if _, recorded := pmapi.As[pmapi.Timeline](src); recorded {
		q.Step = evalStep
	}
	st, err := Run(ctx, NewSource(src), nil, q)
	if err != nil {
		return nil, err
	}
	for smp, err := range st.Samples {
		if err != nil {
			return nil, err
		}
		set, err := smp.Sets[0].Own(ctx)
		if err != nil {
			return nil, err
		}
		if set.Err != nil {
			return nil, set.Err
		}
		values := make([]sampling.Value, set.Len())
		for i := range values {
			values[i] = set.At(i)
		}
		return values, nil
	}
	return nil, nil
}

// evalStep is as long as loggers usually wait: rates over shorter times suffer from interpolated counters, which are integers.
const evalStep = 10 * time.Second

// Over returns the samples of expressions at times: of a recording from its beginning on if t has no Start,
// record by record if it has no Interval. Errors are those of [Run].
func Over(ctx context.Context, src pmapi.Source, t sampling.Times, exprs ...string) (*Stream, error) {
	return Run(ctx, NewSource(src), nil, &Query{Exprs: exprs, Times: t})
}
